import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

const SCHEMA = '_schema: https://waybill.example/schemas/policy/environment/v1\n'
const YAML = `${SCHEMA}artifacts:\n  provenance:\n    required: true\n`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const put = (name: string, body: object) => app.member.put(`/policies/acme/${name}`, body)
const read = async (name: string) => (await app.reader.get(`/policies/acme/${name}`)).body

async function readStored() {
  const [row] = await app.sql(`select (select count(*)::int from policies) as policies,
    (select count(*)::int from policy_versions) as versions, (select count(*)::int from events) as events`)
  return row
}

describe('201', () => {
  it('creates the policy of the path from JSON', async () => {
    const { status, body } = await put('prod', { policy_yaml: YAML, description: 'All', comment: 'First' })
    expect(status).toBe(201)
    expect(body).toBe('OK')
    expect(await read('prod')).toMatchObject({
      name: 'prod',
      description: 'All',
      versions: [{ version: 1, comment: 'First', policy_yaml: YAML }],
    })
    expect(await app.readEvents('policy_created')).toEqual([
      { kind: 'policy_created', actor: 'max', data: { policy_name: 'prod', version: 1 } },
    ])
  })

  it.each([
    ['without a name', {}],
    ['with the same name', { name: 'formed-with-the-same-name', type: 'env' }],
  ])('accepts a form %s', async (what, payload) => {
    const name = `formed-${what.replaceAll(' ', '-')}`
    const parts = { payload: JSON.stringify(payload), policy_file: makeFile(YAML) }
    expect((await app.member.form('PUT', `/policies/acme/${name}`, parts)).status).toBe(201)
    expect(await read(name)).toMatchObject({ name, versions: [{ policy_yaml: YAML }] })
  })
})

describe('200', () => {
  it('updates a policy created by the other PUT', async () => {
    await app.member.put('/policies/acme', { name: 'both', policy_yaml: YAML, description: 'kept' })
    expect((await put('both', { policy_yaml: `${YAML}# more\n`, comment: 'two' })).status).toBe(200)
    expect(await read('both')).toMatchObject({
      description: 'kept',
      versions: [{ version: 1 }, { version: 2, comment: 'two' }],
    })
  })
})

describe('400', () => {
  it('refuses a name that differs from the path', async () => {
    const before = await readStored()
    const { status, body } = await put('one', { name: 'two', policy_yaml: YAML })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ name: "Input should be 'one', the name in the path [input: two]" })
    expect(await readStored()).toEqual(before)
  })

  it('refuses an invalid name', async () => {
    const { status, body } = await put('-x', { policy_yaml: YAML })
    expect(status).toBe(400)
    expect(body.errors.name).toMatch(/^String should match pattern .* \[input: -x\]$/)
  })

  it('refuses a request without the text', async () => {
    const { status, body } = await put('empty', {})
    expect(status).toBe(400)
    expect(body.errors).toEqual({ policy_yaml: 'Field required [input: None]' })
  })

  it('says where the text is wrong and stores nothing', async () => {
    const before = await readStored()
    const { status, body } = await put('bad', {
      policy_yaml: `${SCHEMA}artifacts:\n  provenance: {required: 7}\n`,
    })
    expect(status).toBe(400)
    expect(body.errors['policy.artifacts.provenance.required']).toMatch(/^line 3, column 26: /)
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    expect((await app[role].put('/policies/acme/not-mine', { policy_yaml: YAML })).status).toBe(403)
    expect((await app.reader.get('/policies/acme/not-mine')).status).toBe(404)
  })
})
