import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENT_JQ, startTestApp, type TestApp } from '../../../test/harness.ts'
import { NO_QUOTAS } from '../../domain/quotas.ts'
import { type JqEngine, makeJqEngine } from '../../jq/engine.ts'
import { systemClock } from '../../lib/clock.ts'
import { buildSummaryRows, evaluateCustomAttestation } from './evaluate.ts'
import { toJqOrg } from './jq-org.ts'

let app: TestApp
let org: Parameters<typeof evaluateCustomAttestation>[1]
const jq: JqEngine = makeJqEngine(PATIENT_JQ, systemClock)
beforeAll(async () => {
  app = await startTestApp()
  const [row] = await app.sql("select org_id from orgs where name = 'acme'")
  org = { org_id: String(row?.org_id), name: 'acme', sponsor: 'acme', quotas: NO_QUOTAS }
})
afterAll(async () => {
  await jq.close()
  await app.stop()
})

const post = (type: object) => app.member.post('/custom-attestation-types/acme', type)
const evaluate = (type_name: string, data: unknown) =>
  evaluateCustomAttestation({ db: app.db, jq }, org, type_name, data)

describe('evaluateCustomAttestation', () => {
  const rules = ['.coverage >= 80', '.coverage <= 100']
  const type_schema = {
    type: 'object',
    required: ['coverage'],
    properties: { lines: { items: { type: 'number' } } },
  }
  beforeAll(async () => {
    await post({ name: 'coverage', evaluator: { content_type: 'jq', rules }, type_schema })
    await post({ name: 'schema-only', type_schema })
    await post({ name: 'bare' })
  })

  it('is compliant when the data matches the schema and every rule is true', async () => {
    expect(await evaluate('coverage', { coverage: 90 })).toEqual({
      type_version: 1,
      verdict: { is_compliant: true, expected: 'true from 2 rules', found: 'true from 2 rules' },
      rules: rules.map(rule => ({ rule, satisfied: true })),
      summary: [],
    })
    expect((await evaluate('schema-only', { coverage: 1 })).verdict.is_compliant).toBe(true)
    expect((await evaluate('bare', 'anything')).verdict.is_compliant).toBe(true)
  })

  it('is not compliant when a rule is not true, and says which and why', async () => {
    const { verdict, rules: evaluated } = await evaluate('coverage', { coverage: 70 })
    expect(verdict).toEqual({
      is_compliant: false,
      expected: 'true from 2 rules',
      found: 'true from 1 of 2 rules: .coverage >= 80 yields false',
    })
    expect(evaluated).toEqual([
      { rule: rules[0], satisfied: false, reason: 'yields false' },
      { rule: rules[1], satisfied: true },
    ])
  })

  it('is not compliant when a rule never ends', async () => {
    await post({ name: 'runaway', evaluator: { content_type: 'jq', rules: ['def f: f; f', 'true'] } })
    const { verdict } = await evaluate('runaway', {})
    expect(verdict.is_compliant).toBe(false)
    expect(verdict.found).toContain('def f: f; f takes longer than 1 s')
  })

  it('uses the newest version', async () => {
    await post({ name: 'moving', evaluator: { content_type: 'jq', rules: ['false'] } })
    await post({ name: 'moving', evaluator: { content_type: 'jq', rules: ['true'] } })
    const { type_version, verdict } = await evaluate('moving', null)
    expect({ type_version, is_compliant: verdict.is_compliant }).toEqual({
      type_version: 2,
      is_compliant: true,
    })
  })

  it('refuses data that does not match the schema, by field', async () => {
    await expect(evaluate('coverage', { lines: [1, 'x'] })).rejects.toMatchObject({
      status: 400,
      message: 'Input payload validation failed',
      errors: {
        'data_json.attestation_data.coverage': 'Field required [input: None]',
        'data_json.attestation_data.lines[1]': 'Input should be a valid number [input: x]',
      },
    })
    await expect(evaluate('coverage', [1])).rejects.toMatchObject({
      errors: { 'data_json.attestation_data': 'Input should be a valid dictionary [input: [1]]' },
    })
  })

  it('refuses a type that is unknown, foreign or archived', async () => {
    const formatUnknown = (name: string) => `Custom attestation type '${name}' does not exist for org 'acme'`
    await expect(evaluate('nothing', {})).rejects.toMatchObject({
      status: 404,
      message: formatUnknown('nothing'),
    })
    await app.outsider.post('/custom-attestation-types/other-corp', { name: 'theirs' })
    await expect(evaluate('theirs', {})).rejects.toMatchObject({
      status: 404,
      message: formatUnknown('theirs'),
    })
    await post({ name: 'gone' })
    await app.member.put('/custom-attestation-types/acme/gone/archive', null)
    await expect(evaluate('gone', {})).rejects.toMatchObject({
      status: 404,
      message: "Custom attestation type 'gone' is archived for org 'acme'",
    })
  })
})

describe('buildSummaryRows', () => {
  const summary = [
    { name: 'Name', expression: '.name' },
    { name: 'Failures', expression: '.failures | length' },
    { name: 'Broken', expression: '.name | error' },
  ]

  it('returns one group for an object and one per element of a list', async () => {
    const makeGroup = (name: string, failures: number) => [
      { name: 'Name', values: [name] },
      { name: 'Failures', values: [failures] },
      { name: 'Broken', values: [], problem: `fails: ${name}` },
    ]
    const [one, two] = [{ name: 'a', failures: [1] }, { name: 'b' }]
    expect(await buildSummaryRows(jq.forOrg(toJqOrg(org)), summary, one)).toEqual([makeGroup('a', 1)])
    expect(await buildSummaryRows(jq.forOrg(toJqOrg(org)), summary, [one, two])).toEqual([
      makeGroup('a', 1),
      makeGroup('b', 0),
    ])
    expect(await buildSummaryRows(jq.forOrg(toJqOrg(org)), summary, [])).toEqual([])
  })
})
