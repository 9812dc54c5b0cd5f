import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  makeSuites,
  nameTrail,
  SHA,
  WIRE_ID,
} from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
})
afterAll(() => app.stop())

const attest = (trail: string, attestation_name: string, more: Record<string, unknown> = {}) =>
  app.member.post(`/attestations/acme/ci/trail/${trail}/junit`, {
    attestation_name,
    junit_results: makeSuites(0),
    ...more,
  })
const get = (name: string, trail = 'run', flow = 'ci') =>
  app.reader.get(`/attestations/acme/${flow}/trail/${trail}/${name}`)

describe('200', () => {
  it('returns the attestation', async () => {
    await attest('run', 'whole')
    const { status, body } = await get('whole')
    expect(status).toBe(200)
    expect(body).toHaveLength(1)
    const { attestation_id, verdict, ...attestation } = body[0]
    expect(attestation_id).toMatch(WIRE_ID)
    expect(verdict).toMatchObject({ is_compliant: true })
    expect(attestation).toEqual({
      schema_version: 2,
      attestation_name: 'whole',
      attestation_type: 'junit',
      junit_results: makeSuites(0),
      is_compliant: true,
      flow_name: 'ci',
      trail_name: 'run',
      artifact_fingerprint: null,
      target_artifacts: [],
      waiting_for: null,
      overridden_attestation_id: null,
      git_commit_info: null,
      repo_info: null,
      origin_url: null,
      external_urls: {},
      annotations: {},
      user_data: {},
      description: '',
      evidence_archive_path: null,
      evidence_archive_fingerprint: null,
      evidence_files: [],
      has_audit_package: true,
      reported_by: 'max',
      created_at: app.clock.now().getTime() / 1000,
      collected_at: null,
      spooled: false,
      html_url: `http://waybill.test/acme/flows/ci/trails/run?attestation_id=${attestation_id}`,
      _links: {
        self: { href: `http://waybill.test/api/v2/attestations/acme?attestation_id=${attestation_id}` },
      },
    })
  })

  it('returns all attestations of the name, newest first: for the trail, for its artifacts and for later ones', async () => {
    await attest('run', 'many')
    await attest('run', 'many', { artifact_fingerprint: makeFingerprint('a') })
    await attest('run', 'many', { target_artifacts: ['later'], git_commit_info: { sha1: SHA } })
    await attest('run', 'other')
    expect((await get('many')).body).toMatchObject([
      { artifact_fingerprint: null, target_artifacts: ['later'] },
      { artifact_fingerprint: makeFingerprint('a'), target_artifacts: [] },
      { artifact_fingerprint: null, target_artifacts: [] },
    ])
  })

  it('returns only attestations of the trail', async () => {
    await app.member.put('/trails/acme/ci', { name: 'elsewhere' })
    await attest('elsewhere', 'apart')
    expect((await get('apart')).body).toEqual([])
    expect((await get('apart', 'elsewhere')).body).toHaveLength(1)
  })

  it('returns an empty list when there are no attestations', async () => {
    const { status, body } = await get('nothing')
    expect(status).toBe(200)
    expect(body).toEqual([])
  })

  it('sends the same number of statements whatever it lists', async () => {
    await get('many')
    expect(await recordWaits(app, () => get('many'))).toEqual(await recordWaits(app, () => get('nothing')))
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get('/attestations/acme/ci/trail/run/whole')).status).toBe(403)
  })
})

describe('404', () => {
  it.each([
    ['nothing', 'ci', "Trail with name 'nothing' does not exist for Organization 'acme' and Flow 'ci'"],
    ['run', 'nothing', "Flow named 'nothing' does not exist for organization 'acme'"],
  ])('names what does not exist: trail %s, flow %s', async (trail, flow, message) => {
    const { status, body } = await get('whole', trail, flow)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})
