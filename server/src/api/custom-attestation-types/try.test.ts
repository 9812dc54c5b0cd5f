import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFlow } from '../../../test/reports.ts'

const PATH = '/custom-attestation-types/acme/try'
const TYPE = {
  type_schema: { type: 'object', required: ['coverage'], properties: { coverage: { type: 'number' } } },
  evaluator: { content_type: 'jq', rules: ['.coverage >= 80', '.coverage <= 100'] },
  summary: [{ name: 'Coverage', expression: '.coverage' }],
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const tryType = (attestation_data: unknown, type: object = TYPE) =>
  app.member.post(PATH, { ...type, attestation_data })

describe('200', () => {
  it('says that an example is compliant, and what pages would show', async () => {
    const { status, body } = await tryType({ coverage: 91 })
    expect(status).toBe(200)
    expect(body).toEqual({
      matches_schema: true,
      schema_errors: {},
      is_compliant: true,
      found: 'true from 2 rules',
      rules: TYPE.evaluator.rules.map(rule => ({ rule, satisfied: true })),
      summary: [[{ name: 'Coverage', values: [91] }]],
    })
  })

  it('says which rule an example does not satisfy, and why', async () => {
    const { body } = await tryType({ coverage: 12 })
    expect(body).toMatchObject({
      is_compliant: false,
      rules: [{ satisfied: false, reason: 'yields false' }, { satisfied: true }],
    })
  })

  it('says what does not match the schema, and runs no rule', async () => {
    const { status, body } = await tryType({ coverage: 'most' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      matches_schema: false,
      is_compliant: null,
      found: null,
      rules: [],
      summary: [],
    })
    expect(body.schema_errors).toEqual({ coverage: expect.stringContaining('number') })
  })

  it('accepts any data without a schema and rules', async () => {
    expect((await tryType(null, {})).body).toMatchObject({ matches_schema: true, is_compliant: true })
  })

  it('evaluates as an attestation of the type is evaluated', async () => {
    await app.member.post('/custom-attestation-types/acme', { name: 'coverage', ...TYPE })
    await makeFlow(app, 'build')
    await app.member.put('/trails/acme/build', { name: 'one' })
    const data = { coverage: 120 }
    await app.member.post('/attestations/acme/build/trail/one/custom', {
      attestation_name: 'covered',
      type_name: 'coverage',
      attestation_data: data,
    })
    const [stored] = (await app.reader.get('/attestations/acme/build/trail/one/covered')).body
    const { body } = await tryType(data)
    expect(body).toMatchObject({
      is_compliant: stored.is_compliant,
      found: stored.verdict.found,
    })
  })

  it('stores nothing', async () => {
    const count = async () =>
      app.sql(`select (select count(*)::int from custom_attestation_types) as types,
        (select count(*)::int from attestations) as attestations, (select count(*)::int from events) as events`)
    const before = await count()
    await tryType({ coverage: 91 })
    expect(await count()).toEqual(before)
  })
})

describe('400', () => {
  it('for a schema or a program that is not valid, by its field', async () => {
    const { status, body } = await tryType(
      { coverage: 1 },
      { type_schema: { type: 'nothing' }, evaluator: { content_type: 'jq', rules: ['true', '.a >'] } },
    )
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['type_schema', 'data_json.evaluator.rules[1]'])
  })

  it('without an example', async () => {
    expect((await app.member.post(PATH, TYPE)).status).toBe(400)
  })
})

describe('403', () => {
  it('for a reader, who cannot create types either', async () => {
    expect((await app.reader.post(PATH, { attestation_data: {} })).status).toBe(403)
  })
})
