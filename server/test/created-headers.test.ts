// Every write whose response body the contract fixes names the created resource in its headers: its location and its
// id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPodReport } from './environments.ts'
import { BASE_URL, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { makeBuild, makeFingerprint, nameTrail, WIRE_ID } from './reports.ts'

const FINGERPRINT = makeFingerprint('ab')
const POLICY = '_schema: https://waybill.example/v1\n'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
})
afterAll(() => app.stop())

const readLocation = ({ headers }: TestResponse) =>
  app.reader.get(String(headers.location).slice(BASE_URL.length))

describe('a created resource', () => {
  it.each<[string, () => Promise<TestResponse>, string]>([
    ['a flow', () => app.member.put('/flows/acme', { name: 'made', description: '' }), 'id'],
    ['a flow that is changed', () => app.member.put('/flows/acme', { name: 'made', description: 'x' }), 'id'],
    ['a trail', () => app.member.put('/trails/acme/ci', { name: 'a~b' }), 'id'],
    ['a trail that is changed', () => app.member.put('/trails/acme/ci', { name: 'a~b' }), 'id'],
    [
      'an artifact on a trail',
      () => app.member.post('/artifacts/acme/ci', makeBuild(FINGERPRINT, nameTrail('run'))),
      'id',
    ],
    [
      'an artifact without one',
      () => app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('cd'))),
      'id',
    ],
    ['an environment', () => app.member.put('/environments/acme', { name: 'made', type: 'S3' }), 'id'],
    [
      'an environment that is changed',
      () => app.member.put('/environments/acme', { name: 'made', type: 'S3', description: 'x' }),
      'id',
    ],
  ])('%s can be read at the returned location, with the returned id', async (_what, make, field) => {
    const answer = await make()
    expect(answer.body).toBe('OK')
    const { status, body } = await readLocation(answer)
    expect(status).toBe(200)
    expect(answer.headers['waybill-id']).toMatch(WIRE_ID)
    expect(body[field]).toBe(answer.headers['waybill-id'])
  })

  it('an attestation is the first of its name', async () => {
    const answer = await app.member.post('/attestations/acme/ci/trail/run/generic', {
      attestation_name: 'scan',
      is_compliant: true,
    })
    const { body } = await readLocation(answer)
    expect(body[0].attestation_id).toBe(answer.headers['waybill-id'])
  })

  it('a policy, a type and an allow-list entry have a location', async () => {
    const policy = await app.member.put('/policies/acme/strict', { policy_yaml: POLICY })
    expect((await readLocation(policy)).body.name).toBe('strict')
    expect(policy.headers['waybill-id']).toMatch(WIRE_ID)
    const type = await app.member.post('/custom-attestation-types/acme', { name: 'load' })
    expect((await readLocation(type)).body.name).toBe('load')
    const entry = { artifact_fingerprint: FINGERPRINT, artifact_name: 'x', description: 'x' }
    const allowed = await app.member.put('/allowlists/acme/prod', entry)
    expect((await readLocation(allowed)).body).toMatchObject([{ artifact_fingerprint: FINGERPRINT }])
  })

  it('a report names the snapshot that it created, and none when it created none', async () => {
    const report = () => app.snapshotter.put('/environments/acme/prod/report/K8S', buildPodReport('ab'))
    expect((await readLocation(await report())).body.index).toBe(1)
    expect((await report()).headers).not.toHaveProperty('location')
  })
})

describe('a retry under an Idempotency-Key', () => {
  it.each<[string, string, object]>([
    [
      'an attestation',
      '/attestations/acme/ci/trail/run/generic',
      { attestation_name: 'again', is_compliant: true },
    ],
    ['an artifact on a trail', '/artifacts/acme/ci', makeBuild(makeFingerprint('ee'), nameTrail('run'))],
    ['an artifact without one', '/artifacts/acme/ci', makeBuild(makeFingerprint('ef'))],
  ])('of %s returns the id of the first', async (what, path, body) => {
    const post = () => app.member.call('POST', path, body, { 'idempotency-key': what.replaceAll(' ', '-') })
    const [first, second] = [await post(), await post()]
    expect(first.headers['waybill-id']).toMatch(WIRE_ID)
    expect(second.headers['waybill-id']).toBe(first.headers['waybill-id'])
    expect(second.headers.location).toBe(first.headers.location)
  })
})
