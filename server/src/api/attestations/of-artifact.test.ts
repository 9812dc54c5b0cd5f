import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, OTHER_SHA, SHA } from '../../../test/reports.ts'

const ONE = makeFingerprint('abcde1')
const OTHER = makeFingerprint('fffff')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd']) await makeFlow(app, flow)
  const report = (fingerprint: string, trail: string, name: string, flow = 'ci') =>
    app.member.post(`/artifacts/acme/${flow}`, makeBuild(fingerprint, nameTrail(trail, name)))
  await report(ONE, 'run-1', 'api')
  await report(OTHER, 'run-1', 'web')
  await report(ONE, 'run-2', 'api')
  await report(ONE, 'run-1', 'api', 'cd')
  await attest('by-print', 'run-1', { artifact_fingerprint: ONE })
  await attest('by-print', 'run-2', { artifact_fingerprint: ONE, description: 'newer' })
  await attest('by-print', 'run-1', { artifact_fingerprint: OTHER })
  await attest('by-print', 'run-1', {})
  await attest('by-name', 'run-1', { target_artifacts: ['api', 'web'], git_commit_info: { sha1: SHA } })
  await attest('by-name', 'run-1', { target_artifacts: ['api'], git_commit_info: { sha1: OTHER_SHA } })
})
afterAll(() => app.stop())

const attest = (attestation_name: string, trail: string, more: Record<string, unknown>, flow = 'ci') =>
  app.member.post(`/attestations/acme/${flow}/trail/${trail}/generic`, {
    attestation_name,
    is_compliant: true,
    ...more,
  })
const get = (fingerprint: string, name: string, flow = 'ci') =>
  app.reader.get(`/attestations/acme/${flow}/artifact/${fingerprint}/${name}`)

describe('200', () => {
  it('returns the attestations of the artifact on every trail, newest first', async () => {
    const { status, body } = await get(ONE, 'by-print')
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { artifact_fingerprint: ONE, trail_name: 'run-2', description: 'newer' },
      { artifact_fingerprint: ONE, trail_name: 'run-1', description: '' },
    ])
    const { body: on_trail } = await app.reader.get('/attestations/acme/ci/trail/run-2/by-print')
    expect(body[0]).toEqual(on_trail[0])
  })

  it.each([ONE, OTHER])('returns attestations for its name and commit: %s', async fingerprint => {
    expect((await get(fingerprint, 'by-name')).body).toMatchObject([
      { target_artifacts: ['api', 'web'], git_commit_info: { sha1: SHA } },
    ])
  })

  it('finds the artifact by a prefix of its fingerprint', async () => {
    expect((await get('fffff', 'by-print')).body).toMatchObject([{ artifact_fingerprint: OTHER }])
  })

  it.each([
    ['of another name', ONE, 'nothing', 'ci'],
    ['of an unknown artifact', makeFingerprint('0'), 'by-print', 'ci'],
    ['in another flow', ONE, 'by-print', 'cd'],
  ])('returns an empty list %s', async (_, fingerprint, name, flow) => {
    const { status, body } = await get(fingerprint, name, flow)
    expect(status).toBe(200)
    expect(body).toEqual([])
  })
})

describe('400', () => {
  it.each(['abcd', 'nothing'])('refuses the fingerprint %s', async fingerprint => {
    const { status, body } = await get(fingerprint, 'by-print')
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      fingerprint: `String should match pattern '^[a-f0-9]{5,64}$' [input: ${fingerprint}]`,
    })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get(`/attestations/acme/ci/artifact/${ONE}/by-print`)).status).toBe(403)
  })
})

describe('404', () => {
  it('names the flow', async () => {
    const { status, body } = await get(ONE, 'by-print', 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })
})
