// Sections 2.7 and 4.6: policies, their fields, their versions and the text they are written in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy } from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { expectKind, type Kind, readValue } from './fields.ts'

const SCHEMA = '_schema: https://waybill.example/schemas/policy/environment/v1\n'

let app: TestApp
let began: number
let policy: unknown
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  const body = { policy_yaml: SCHEMA, description: 'For production', comment: 'First' }
  expect((await app.member.put('/policies/acme/strict', body)).status).toBe(201)
  await makeEnvironment(app, 'prod')
  await attach(app, 'prod', 'strict')
  app.clock.advance(1000)
  await app.member.put('/policies/acme/strict', {
    policy_yaml: buildPolicyRequiring('unit'),
    comment: 'Second',
  })
  ;[policy] = (await app.reader.get('/policies/acme')).body
})
afterAll(() => app.stop())

describe('a listed policy', () => {
  it.each<[string, Kind, unknown]>([
    ['name', 'a string', 'strict'],
    ['description', 'a string', 'For production'],
    ['archived', 'a boolean', false],
    ['consuming_envs', 'an array of strings', ['prod']],
    ['created_at', 'a number', () => began],
    ['last_modified_at', 'a number', () => began + 1],
    ['created_by', 'a string', 'max'],
    ['events', 'an array of objects', expect.any(Array)],
    ['events[0].type', 'a string', 'policy_created'],
    ['events[0].timestamp', 'a number', () => began],
    ['events[0].user', 'a string', 'max'],
    ['events[0].data', 'an object', expect.objectContaining({ version: 1 })],
    ['versions', 'an array of objects', expect.any(Array)],
    ['versions[1].version', 'an integer', 2],
    ['versions[1].comment', 'a string', 'Second'],
    ['versions[1].created_by', 'a string', 'max'],
    ['versions[1].timestamp', 'a number', () => began + 1],
    ['versions[1].policy_yaml', 'a string', buildPolicyRequiring('unit')],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(policy, field, kind)
    expect(readValue(policy, field)).toEqual(typeof value === 'function' ? value() : value)
  })
})

describe('the text of a policy', () => {
  it.each<[string, string]>([
    ['provenance.required true', 'artifacts: {provenance: {required: true}}'],
    ['provenance.required false', 'artifacts: {provenance: {required: false}}'],
  ])('can say %s', async (_what, yaml) => {
    expect((await putPolicy(app, 'said', `${SCHEMA}${yaml}\n`)).status).toBeLessThan(300)
  })

  it.each<[string, string, string]>([
    ['without _schema', 'artifacts: {}\n', '_schema'],
    [
      'with provenance.required that is no boolean',
      `${SCHEMA}artifacts: {provenance: {required: maybe}}\n`,
      'provenance.required',
    ],
    ['that is no YAML', `${SCHEMA}artifacts: [\n`, 'policy'],
  ])('is refused with 400 %s', async (_what, yaml, field) => {
    const { status, body } = await putPolicy(app, 'refused', yaml)
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(Object.keys(body.errors).join(' ')).toContain(field)
    expect((await app.reader.get('/policies/acme/refused')).status).toBe(404)
  })
})

describe('PUT of a policy', () => {
  it('returns 201 for a new one and 200 for a known one', async () => {
    const statuses = [
      await putPolicy(app, 'put', SCHEMA),
      await putPolicy(app, 'put', buildPolicyRequiring()),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([201, 200])
  })

  it('with another text makes the next version', async () => {
    await putPolicy(app, 'grown', SCHEMA)
    await putPolicy(app, 'grown', buildPolicyRequiring())
    const { versions } = (await app.reader.get('/policies/acme/grown')).body
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([1, 2])
  })
})
