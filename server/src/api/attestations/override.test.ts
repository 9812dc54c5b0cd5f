import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  makeSuites,
  nameTrail,
  readStoredRows,
  SHA,
} from '../../../test/reports.ts'
import { checkIntegrity } from '../../admin/check.ts'

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: scan
      type: snyk
  artifacts:
    - name: image
      attestations:
        - name: tests
          type: junit
        - name: gate
          type: decision
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci', TEMPLATE)
})
afterAll(() => app.stop())

const attest = (trail: string, kind: string, body: Record<string, unknown>) =>
  app.member.post(`/attestations/acme/ci/trail/${trail}/${kind}`, body)
const override = (trail: string, body: Record<string, unknown>) =>
  attest(trail, 'override', { reason: 'known', new_compliance_status: true, ...body })
const begin = (name: string) => app.member.put('/trails/acme/ci', { name })
const read = async (trail: string, name: string) =>
  (await app.reader.get(`/attestations/acme/ci/trail/${trail}/${name}`)).body
const readStatus = async (trail: string) =>
  (await app.reader.get(`/trails/acme/ci/${trail}`)).body.compliance_status
const makeScan = (high_count: number) => ({
  attestation_name: 'scan',
  snyk_results: {
    schema_version: 1,
    tool: { name: 'Snyk', version: '1' },
    results: [{ high_count, medium_count: 0, low_count: 0 }],
  },
})
const SCAN = { attestation_name: 'scan', original_attestation_type: 'snyk' }

async function expectIntegrity(): Promise<void> {
  expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
}

describe('200', () => {
  it('fills a slot for which nothing was reported', async () => {
    await begin('alone')
    const { status, body } = await override('alone', SCAN)
    expect(status).toBe(200)
    expect(body).toBe('OK')
    const [attestation] = await read('alone', 'scan')
    expect(attestation).toMatchObject({
      attestation_type: 'override',
      is_compliant: true,
      overridden_attestation_id: null,
      reason: 'known',
      new_compliance_status: true,
      original_attestation_type: 'snyk',
    })
    expect((await readStatus('alone')).attestations_statuses).toEqual([
      {
        attestation_name: 'scan',
        attestation_type: 'snyk',
        attestation_id: attestation.attestation_id,
        overridden_attestation_id: null,
        status: 'COMPLETE',
        is_compliant: true,
        unexpected: false,
      },
    ])
  })

  it('replaces the verdict, and names and keeps the overridden attestation', async () => {
    await begin('replaced')
    await attest('replaced', 'snyk', makeScan(2))
    expect((await readStatus('replaced')).status).toBe('NON-COMPLIANT')
    const [original] = await read('replaced', 'scan')
    await override('replaced', SCAN)
    const [latest, kept, ...others] = await read('replaced', 'scan')
    expect(others).toEqual([])
    expect(kept).toEqual(original)
    expect(kept).toMatchObject({ attestation_type: 'snyk', is_compliant: false })
    expect(latest.overridden_attestation_id).toBe(original.attestation_id)
    const { status, attestations_statuses } = await readStatus('replaced')
    expect(status).toBe('INCOMPLETE')
    expect(attestations_statuses).toMatchObject([
      { attestation_id: latest.attestation_id, overridden_attestation_id: original.attestation_id },
    ])
    await expectIntegrity()
  })

  it('records an event', async () => {
    await begin('recorded')
    await attest('recorded', 'snyk', makeScan(1))
    await override('recorded', { ...SCAN, git_commit_info: { sha1: SHA } })
    const [latest] = await read('recorded', 'scan')
    const { events } = (await app.reader.get('/trails/acme/ci/recorded')).body
    expect(events.at(-1)).toMatchObject({
      type: 'trail_attestation_reported',
      user: 'max',
      attestation_type: 'override',
      attestation_id: latest.attestation_id,
      template_reference_name: 'scan',
      is_compliant: true,
      is_reattestation: true,
      git_commit_info: { sha1: SHA },
    })
  })

  it('makes a verdict worse as well', async () => {
    await begin('worse')
    await attest('worse', 'snyk', makeScan(0))
    await override('worse', { ...SCAN, new_compliance_status: false })
    expect((await readStatus('worse')).status).toBe('NON-COMPLIANT')
  })

  it('is replaced by a later report of the name', async () => {
    await begin('later')
    await override('later', SCAN)
    await attest('later', 'snyk', makeScan(3))
    expect((await readStatus('later')).attestations_statuses).toMatchObject([
      { attestation_type: 'snyk', is_compliant: false, overridden_attestation_id: null },
    ])
  })

  it('is replaced by a later report even after it overrode one', async () => {
    await begin('later-again')
    await attest('later-again', 'snyk', makeScan(1))
    await override('later-again', SCAN)
    await attest('later-again', 'snyk', makeScan(3))
    expect(await readStatus('later-again')).toMatchObject({
      status: 'NON-COMPLIANT',
      attestations_statuses: [
        { attestation_type: 'snyk', is_compliant: false, overridden_attestation_id: null },
      ],
    })
    await expectIntegrity()
  })

  it('applies to one artifact when it names one', async () => {
    for (const [digit, name] of [
      ['a', 'image'],
      ['b', 'other'],
    ] as const) {
      await app.member.post(
        '/artifacts/acme/ci',
        makeBuild(makeFingerprint(digit), nameTrail('artifacts', name)),
      )
      await attest('artifacts', 'junit', {
        attestation_name: 'tests',
        artifact_fingerprint: makeFingerprint(digit),
        junit_results: makeSuites(1),
      })
    }
    const tests = { attestation_name: 'tests', original_attestation_type: 'junit' }
    expect(
      (await override('artifacts', { ...tests, artifact_fingerprint: makeFingerprint('a') })).status,
    ).toBe(200)
    const { image, other } = (await readStatus('artifacts')).artifacts_statuses
    expect(image.attestations_statuses[0]).toMatchObject({ attestation_type: 'junit', is_compliant: true })
    expect(image.attestations_statuses[0].overridden_attestation_id).not.toBeNull()
    expect(other.attestations_statuses[0]).toMatchObject({
      is_compliant: false,
      overridden_attestation_id: null,
    })
    await expectIntegrity()
  })

  it.each(['decision', 'system:decision'])(
    'overrides a %s, before the artifact is reported and after',
    async type => {
      const gate = {
        attestation_name: 'gate',
        original_attestation_type: type,
        target_artifacts: ['image'],
        git_commit_info: { sha1: SHA },
      }
      const [before, after] = [`before-${type.length}`, `after-${type.length}`]
      await begin(before)
      await override(before, gate)
      await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('c'), nameTrail(before)))
      await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('c'), nameTrail(after)))
      await override(after, gate)
      for (const trail of [before, after]) {
        const { image } = (await readStatus(trail)).artifacts_statuses
        expect(image.attestations_statuses[1], trail).toMatchObject({
          attestation_name: 'gate',
          attestation_type: 'system:decision',
          status: 'COMPLETE',
        })
      }
      await expectIntegrity()
    },
  )

  it.each(['sbom', 'system:sbom'])('overrides an SBOM, called %s', async type => {
    const flow = `bom-${type.length}`
    await makeFlow(
      app,
      flow,
      'version: 1\ntrail: {artifacts: [{name: image, attestations: [{name: bom, type: sbom}]}]}\n',
    )
    const early = { target_artifacts: ['image'], git_commit_info: { sha1: SHA } }
    const fields = { attestation_name: 'bom', reason: 'known', new_compliance_status: true, ...early }
    await app.member.put(`/trails/acme/${flow}`, { name: 'run' })
    await app.member.post(`/attestations/acme/${flow}/trail/run/override`, {
      ...fields,
      original_attestation_type: type,
    })
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint('c'), nameTrail('run')))
    const { image } = (await app.reader.get(`/trails/acme/${flow}/run`)).body.compliance_status
      .artifacts_statuses
    expect(image).toMatchObject({
      status: 'COMPLIANT',
      attestations_statuses: [{ attestation_type: 'system:sbom' }],
    })
    await expectIntegrity()
  })

  it('names the overridden attestation even if both were reported before the artifact', async () => {
    const early = {
      attestation_name: 'tests',
      target_artifacts: ['image'],
      git_commit_info: { sha1: SHA },
    }
    await begin('both-early')
    await attest('both-early', 'junit', { ...early, junit_results: makeSuites(1) })
    await override('both-early', { ...early, original_attestation_type: 'junit' })
    const [latest, original] = await read('both-early', 'tests')
    expect(latest.overridden_attestation_id).toBe(original.attestation_id)
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('d'), nameTrail('both-early')))
    const { image } = (await readStatus('both-early')).artifacts_statuses
    expect(image.attestations_statuses[0]).toMatchObject({
      attestation_id: latest.attestation_id,
      overridden_attestation_id: original.attestation_id,
      is_compliant: true,
    })
  })

  it('does not fill a slot that requires another type', async () => {
    await begin('mismatch')
    await override('mismatch', { ...SCAN, original_attestation_type: 'junit' })
    const { status, attestations_statuses, reasons } = await readStatus('mismatch')
    expect(status).toBe('INCOMPLETE')
    expect(attestations_statuses).toMatchObject([
      { attestation_name: 'scan', attestation_type: 'snyk', status: 'MISSING', unexpected: false },
      { attestation_name: 'scan', attestation_type: 'junit', status: 'COMPLETE', unexpected: true },
    ])
    expect(reasons).toContainEqual(expect.objectContaining({ rule: 'wrong_attestation_type' }))
    await expectIntegrity()
  })
})

describe('400', () => {
  it.each([
    ['reason', { reason: '' }, 'String should have at least 1 character [input: ]'],
    ['reason', { reason: undefined }, 'Field required [input: None]'],
    ['new_compliance_status', { new_compliance_status: undefined }, 'Field required [input: None]'],
    ['original_attestation_type', { original_attestation_type: undefined }, 'Field required [input: None]'],
    ['surprise', { surprise: 1 }, 'Extra inputs are not permitted [input: 1]'],
  ])('names %s', async (field, change, sentence) => {
    await begin('refused')
    const before = await readStoredRows(app)
    const { status, body } = await override('refused', { ...SCAN, ...change })
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [field]: sentence } })
    expect(await readStoredRows(app)).toEqual(before)
  })
})

describe('400 for an artifact', () => {
  it('without attestations, when only the trail has an attestation of the name', async () => {
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('e'), nameTrail('misdirected')))
    await attest('misdirected', 'snyk', makeScan(1))
    const before = await readStoredRows(app)
    const aimed = { ...SCAN, artifact_fingerprint: makeFingerprint('e') }
    const { status, body } = await override('misdirected', aimed)
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: {
        artifact_fingerprint:
          "Attestation 'scan' was reported for the trail and not for this artifact; omit the fingerprint to " +
          `override it [input: ${makeFingerprint('e')}]`,
      },
    })
    expect(await readStoredRows(app)).toEqual(before)
    await attest('misdirected', 'snyk', { ...makeScan(2), artifact_fingerprint: makeFingerprint('e') })
    expect((await override('misdirected', aimed)).status).toBe(200)
    expect((await override('misdirected', SCAN)).status).toBe(200)
    expect((await readStatus('misdirected')).status).toBe('INCOMPLETE')
    await expectIntegrity()
  })

  it('but not when nothing has an attestation of the name', async () => {
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('f'), nameTrail('nothing-said')))
    expect(
      (await override('nothing-said', { ...SCAN, artifact_fingerprint: makeFingerprint('f') })).status,
    ).toBe(200)
  })
})

describe('403', () => {
  it('does not let a reader override', async () => {
    await begin('refused')
    const body = { ...SCAN, reason: 'x', new_compliance_status: true }
    expect((await app.reader.post('/attestations/acme/ci/trail/refused/override', body)).status).toBe(403)
  })
})

describe('404', () => {
  it('names the trail', async () => {
    const { status, body } = await override('nothing', SCAN)
    expect(status).toBe(404)
    expect(body).toEqual({
      message: "Trail with name 'nothing' does not exist for Organization 'acme' and Flow 'ci'",
    })
  })
})
