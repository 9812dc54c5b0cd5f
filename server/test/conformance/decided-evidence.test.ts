// Decisions that no other test proves: what counts as evidence, and what a verdict is based on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: unit
          type: generic
    - name: other
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci', TEMPLATE)
})
afterAll(() => app.stop())

const reportArtifact = (start: string, trail: string, name = 'image', flow = 'ci') =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(start), { ...nameTrail(trail, name), filename: buildImageName(start) }),
  )

const attest = (start: string, trail: string, is_compliant: boolean) =>
  app.member.post(`/attestations/acme/ci/trail/${trail}/generic`, {
    attestation_name: 'unit',
    is_compliant,
    artifact_fingerprint: makeFingerprint(start),
  })

describe('a fingerprint on several trails', () => {
  it('counts with the trail that began last', async () => {
    for (const trail of ['earlier', 'later']) await app.member.put('/trails/acme/ci', { name: trail })
    await reportArtifact('1a', 'later')
    await reportArtifact('1a', 'earlier')
    await attest('1a', 'earlier', true)
    const ask = async () => (await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint('1a')}`)).body
    expect(await ask()).toMatchObject({ compliant: false })
    await attest('1a', 'later', true)
    expect(await ask()).toMatchObject({ compliant: true })
  })

  it('counts as not compliant when it fails under one of two names on a trail', async () => {
    await reportArtifact('1b', 'two-names', 'image')
    await reportArtifact('1b', 'two-names', 'other')
    await makeEnvironment(app, 'two-names')
    const policy =
      '_schema: https://waybill.example/v1\nartifacts:\n  trail-compliance:\n    required: true\n'
    await putPolicy(app, 'two-names', policy)
    await attach(app, 'two-names', 'two-names')
    await report(app, 'two-names', '1b')
    const { body } = await app.reader.get('/snapshots/acme/two-names/-1')
    expect(body.artifacts[0]).toMatchObject({ compliance_state: 'NON-COMPLIANT' })
    expect(body.artifacts[0].flows[0]).toMatchObject({ template_reference_name: 'image' })
  })

  it('is still known to a flow that was archived', async () => {
    await makeFlow(app, 'retired')
    await reportArtifact('1c', 'run', 'image', 'retired')
    await app.member.put('/flows/acme/retired/archive', null)
    await makeEnvironment(app, 'archived-flow')
    await putPolicy(app, 'archived-flow', buildPolicyRequiring())
    await attach(app, 'archived-flow', 'archived-flow')
    await report(app, 'archived-flow', '1c')
    const { body } = await app.reader.get('/environments/acme/archived-flow')
    expect(body.state).toBe(true)
  })
})

describe('a prefix that several fingerprints begin with', () => {
  it('returns 404 for an audit package, and lists the attestations of all of them', async () => {
    for (const start of ['abcde1', 'abcde2']) {
      await reportArtifact(start, `run-${start}`)
      await attest(start, `run-${start}`, true)
    }
    const packaged = await app.reader.get('/artifacts/acme/ci/fingerprint/abcde/audit_package')
    expect(packaged.status).toBe(404)
    const { body } = await app.reader.get('/attestations/acme/ci/artifact/abcde/unit')
    const found = body.map((one: { artifact_fingerprint: string }) => one.artifact_fingerprint)
    expect(found).toEqual([makeFingerprint('abcde2'), makeFingerprint('abcde1')])
  })
})

describe('a report of an artifact', () => {
  it('fails with is_compliant false, but true does not replace evidence', async () => {
    const state = async (trail: string) =>
      (await app.reader.get(`/trails/acme/ci/${trail}`)).body.compliance_state
    await app.member.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint('2a'), { ...nameTrail('said-true'), is_compliant: true }),
    )
    expect(await state('said-true')).toBe('INCOMPLETE')
    await app.member.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint('2a'), { ...nameTrail('said-false'), is_compliant: false }),
    )
    expect(await state('said-false')).toBe('NON-COMPLIANT')
  })

  it('without any commit is shown with an empty one', async () => {
    await app.member.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint('2b'), { ...nameTrail('bare'), git_commit: undefined }),
    )
    const { body } = await app.reader.get(`/artifacts/acme/ci/fingerprint/${makeFingerprint('2b')}`)
    expect(body.git_commit).toBe('')
  })

  it('that is refused leaves no repository behind', async () => {
    const repo_info = { id: '8', name: 'acme/refused', url: 'https://git.example.com/r', provider: 'github' }
    const refused = makeBuild(makeFingerprint('2d'), {
      ...nameTrail('refused'),
      repo_info,
      no_such_property: 1,
    })
    expect((await app.member.post('/artifacts/acme/ci', refused)).status).toBe(400)
    const elsewhere = makeBuild(makeFingerprint('2d'), { ...nameTrail('refused'), repo_info })
    expect((await app.member.post('/artifacts/acme/no-flow', elsewhere)).status).toBe(404)
    expect((await app.reader.get('/repos/acme?name=acme%2Frefused')).body.repos).toEqual([])
  })

  it('without a trail creates no repository, and nothing can be attested to it', async () => {
    const repo_info = { id: '9', name: 'acme/none', url: 'https://git.example.com/none', provider: 'github' }
    expect(
      (await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('2c'), { repo_info }))).status,
    ).toBe(201)
    expect((await app.reader.get('/repos/acme?name=acme%2Fnone')).body.repos).toEqual([])
    await app.member.put('/trails/acme/ci', { name: 'beside' })
    expect((await attest('2c', 'beside', true)).status).toBe(404)
  })
})

describe('an attestation of a custom type', () => {
  it('keeps the verdict of the version at that time', async () => {
    const define = (rule: string) =>
      app.member.post('/custom-attestation-types/acme', {
        name: 'moving',
        evaluator: { content_type: 'jq', rules: [rule] },
      })
    await define('true')
    await app.member.put('/trails/acme/ci', { name: 'versions' })
    await app.member.post('/attestations/acme/ci/trail/versions/custom', {
      attestation_name: 'check',
      type_name: 'moving',
      attestation_data: {},
    })
    const read = async () => (await app.reader.get('/attestations/acme/ci/trail/versions/check')).body
    const before = await read()
    expect(before).toMatchObject([{ is_compliant: true }])
    expect((await define('false')).status).toBe(201)
    expect(await read()).toEqual(before)
  })
})

describe('an override', () => {
  it('must name the custom type that it overrides', async () => {
    await app.member.put('/trails/acme/ci', { name: 'overridden' })
    const override = (original_attestation_type: string) =>
      app.member.post('/attestations/acme/ci/trail/overridden/override', {
        attestation_name: 'scan',
        original_attestation_type,
        reason: 'known',
        new_compliance_status: true,
      })
    expect((await override('custom')).status).toBe(400)
    expect((await override('custom:coverage')).status).toBe(200)
  })
})

describe('a snapshot without policies', () => {
  it('is not compliant for clients that need a boolean, and unknown for the others', async () => {
    await makeEnvironment(app, 'no-policies')
    await report(app, 'no-policies', '4a')
    const { body } = await app.reader.get('/snapshots/acme/no-policies/-1')
    expect(body).toMatchObject({ compliant: false, state: null })
    expect(body.artifacts[0]).toMatchObject({ compliant: false, compliance_state: 'UNKNOWN' })
  })
})

describe('a decision on a control that does not exist', () => {
  it('is accepted without a version, and listed once the control exists', async () => {
    await app.member.put('/trails/acme/ci', { name: 'decided' })
    const decision = { attestation_name: 'go', type_name: 'decision', control: 'LATE-1' }
    const taken = await app.member.post('/attestations/acme/ci/trail/decided/system', {
      ...decision,
      attestation_data: { is_compliant: true },
    })
    expect(taken.status).toBe(201)
    const list = () => app.reader.get('/controls/acme/LATE-1/decisions')
    expect((await list()).status).toBe(404)
    await app.admin.post('/controls/acme', { identifier: 'LATE-1', name: 'Late' })
    expect((await list()).body.decisions).toMatchObject([{ attestation_name: 'go', control_version: null }])
  })
})
