// No failure hides behind a compliant result: a failure anywhere fails the trail, the assertion of the artifact and
// the environment that runs it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../src/admin/check.ts'
import {
  attach,
  buildImageName,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from './environments.ts'
import { makeFile, startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

const TRAIL_COMPLIANCE = `_schema: https://waybill.example/v1
artifacts:
  trail-compliance:
    required: true
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'green-trails', TRAIL_COMPLIANCE)
  await attach(app, 'prod', 'green-trails')
})
afterAll(async () => {
  expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  await app.stop()
})

const reportArtifact = (start: string, trail: string, more: Record<string, unknown> = {}) =>
  app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint(start), { ...nameTrail(trail), filename: buildImageName(start), ...more }),
  )
const attest = (trail: string, kind: string, body: unknown) =>
  app.member.post(`/attestations/acme/build/trail/${trail}/${kind}`, body)

/** The verdict on a running artifact in each place: the trail, its artifact, the two gates, the snapshot. */
async function readAnswers(start: string, trail: string) {
  await report(app, 'prod', start)
  await app.evaluate()
  const { compliance_state } = (await app.reader.get(`/trails/acme/build/${trail}`)).body
  const { state } = (await app.reader.get(`/artifacts/acme/build/fingerprint/${makeFingerprint(start)}`)).body
  const asserted = async (query: string) =>
    (await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint(start)}${query}`)).body.compliant
  const { artifacts } = await readLatestSnapshot(app, 'prod')
  const running = artifacts.find(
    ({ fingerprint }: { fingerprint: string }) => fingerprint === makeFingerprint(start),
  )
  return {
    trail: compliance_state,
    artifact: state,
    asserted: [await asserted('?flow_name=build'), await asserted('?environment_name=prod')],
    running: running.compliant,
  }
}

const RED = { trail: 'NON-COMPLIANT', artifact: 'NON-COMPLIANT', asserted: [false, false], running: false }
const GREEN = { trail: 'COMPLIANT', artifact: 'COMPLIANT', asserted: [true, true], running: true }

describe('an attestation on the trail that nothing requires', () => {
  it('makes every artifact of the trail red when it is not compliant, and green again when it is overridden', async () => {
    await reportArtifact('a1', 'manual')
    expect(await readAnswers('a1', 'manual')).toEqual(GREEN)
    await attest('manual', 'generic', { attestation_name: 'review', is_compliant: false })
    expect(await readAnswers('a1', 'manual')).toEqual(RED)
    await attest('manual', 'override', {
      attestation_name: 'review',
      original_attestation_type: 'generic',
      new_compliance_status: true,
      reason: 'reviewed by hand',
    })
    expect(await readAnswers('a1', 'manual')).toEqual(GREEN)
  })

  it('makes it red even when it came before the artifact', async () => {
    await app.member.put('/trails/acme/build', { name: 'early' })
    await attest('early', 'snyk', {
      attestation_name: 'scan',
      snyk_results: {
        schema_version: 1,
        tool: { name: 'Snyk Open Source' },
        results: [{ high_count: 3, medium_count: 0, low_count: 0 }],
      },
    })
    await reportArtifact('a2', 'early')
    expect(await readAnswers('a2', 'early')).toEqual(RED)
    const { reasons } = (
      await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint('a2')}?flow_name=build`)
    ).body
    expect(reasons).toMatchObject([
      {
        type: 'non_compliant_attestation',
        attestation_name: 'scan',
        flow_name: 'build',
        trail_name: 'early',
        remedy: expect.stringContaining("Report attestation 'scan' again"),
      },
    ])
  })

  it('changes nothing while it is missing, or when it is compliant', async () => {
    await reportArtifact('a3', 'fine')
    await attest('fine', 'generic', { attestation_name: 'extra', is_compliant: true })
    expect(await readAnswers('a3', 'fine')).toEqual(GREEN)
  })
})

describe('the compliance that a report declares', () => {
  it('counts: false is red, and the reason names the reporter', async () => {
    await reportArtifact('b1', 'declared', { is_compliant: false })
    expect(await readAnswers('b1', 'declared')).toEqual(RED)
    const { reasons } = (await app.reader.get('/trails/acme/build/declared')).body.compliance_status
    expect(reasons).toContainEqual(
      expect.objectContaining({
        rule: 'declared_non_compliant',
        artifact_fingerprint: makeFingerprint('b1'),
        description: "Artifact 'image' was reported as non-compliant by 'max'",
      }),
    )
    const asserted = (
      await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint('b1')}?flow_name=build`)
    ).body
    expect(asserted.reasons).toMatchObject([
      {
        type: 'declared_non_compliant',
        found: "is_compliant: false in the report by 'max'",
        remedy: expect.stringContaining('Report it again with is_compliant true'),
      },
    ])
  })

  it('counts until the artifact is reported again, by anyone', async () => {
    await reportArtifact('b2', 'declared-again', { is_compliant: false })
    await reportArtifact('b2', 'declared-again', { is_compliant: true })
    expect(await readAnswers('b2', 'declared-again')).toEqual(GREEN)
    await reportArtifact('b2', 'declared-again', { is_compliant: false })
    expect(await readAnswers('b2', 'declared-again')).toEqual(RED)
    await reportArtifact('b2', 'declared-again')
    expect(await readAnswers('b2', 'declared-again')).toEqual(GREEN)
  })

  it('counts without a trail, too', async () => {
    const sent = makeBuild(makeFingerprint('b3'), { filename: buildImageName('b3') })
    await app.member.post('/artifacts/acme/build', { ...sent, is_compliant: false })
    const path = `/asserts/acme/fingerprint/${makeFingerprint('b3')}?flow_name=build`
    expect((await app.reader.get(path)).body).toMatchObject({
      compliant: false,
      reasons: [{ type: 'declared_non_compliant', remedy: expect.stringContaining("to flow 'build'") }],
    })
    await app.member.post('/artifacts/acme/build', sent)
    expect((await app.reader.get(path)).body).toMatchObject({ compliant: true, reasons: [] })
  })
})

describe('two builds under one name', () => {
  const attestFailure = (start: string, trail: string) =>
    attest(trail, 'generic', {
      attestation_name: 'unit',
      artifact_fingerprint: makeFingerprint(start),
      is_compliant: false,
    })

  it('make a red trail when the earlier one is red, and name it', async () => {
    await reportArtifact('c1', 'rebuilt')
    await attestFailure('c1', 'rebuilt')
    await reportArtifact('c2', 'rebuilt')
    const { compliance_state, compliance_status } = (await app.reader.get('/trails/acme/build/rebuilt')).body
    expect(compliance_state).toBe('NON-COMPLIANT')
    expect(compliance_status.artifacts_statuses.image).toMatchObject({
      artifact_fingerprint: makeFingerprint('c2'),
      status: 'COMPLIANT',
      earlier_builds: [{ artifact_fingerprint: makeFingerprint('c1'), status: 'NON-COMPLIANT' }],
    })
    expect(compliance_status.reasons[0]).toMatchObject({
      rule: 'non_compliant_artifact',
      artifact_fingerprint: makeFingerprint('c1'),
      description: `An earlier build of artifact 'image' (${makeFingerprint('c1')}) is NON-COMPLIANT and has not been superseded`,
    })
    expect(compliance_status.reasons[1]).toMatchObject({
      rule: 'non_compliant_attestation',
      artifact_fingerprint: makeFingerprint('c1'),
    })
    // Each is evaluated by its own evidence.
    expect((await readAnswers('c2', 'rebuilt')).running).toBe(true)
    expect((await readAnswers('c1', 'rebuilt')).running).toBe(false)
  })

  it('make a green trail when the later one supersedes the earlier, which stays red itself', async () => {
    await reportArtifact('c3', 'superseded')
    await attestFailure('c3', 'superseded')
    await reportArtifact('c4', 'superseded', { supersedes_earlier: true })
    expect(await readAnswers('c4', 'superseded')).toEqual(GREEN)
    expect((await readAnswers('c3', 'superseded')).artifact).toBe('NON-COMPLIANT')
    const { artifacts_statuses } = (await app.reader.get('/trails/acme/build/superseded')).body
      .compliance_status
    expect(artifacts_statuses.image.earlier_builds).toEqual([])
  })

  it('count again when the superseded one is reported again', async () => {
    await reportArtifact('c5', 'returned')
    await attestFailure('c5', 'returned')
    await reportArtifact('c6', 'returned', { supersedes_earlier: true })
    await reportArtifact('c5', 'returned')
    expect((await app.reader.get('/trails/acme/build/returned')).body.compliance_state).toBe('NON-COMPLIANT')
  })
})

describe('a condition on a tag that the flow lacks', () => {
  const buildPolicy = (condition: string) => `_schema: https://waybill.example/v1
artifacts:
  attestations:
    - {name: scan, type: generic, if: '\${{ ${condition} }}'}
`

  it.each(['flow.tags.env != "dev"', 'flow.tags.env == "live"', 'not (flow.tags.env in ["dev"])'])(
    'does not switch the rule off: %s',
    async condition => {
      const name = `tags-${condition.replace(/\W+/g, '-')}`
      await reportArtifact('d1', 'untagged')
      await makeEnvironment(app, name)
      const put = await app.member.put(`/policies/acme/${name}`, { policy_yaml: buildPolicy(condition) })
      const [warning] = JSON.parse(String(put.headers['waybill-warnings']))
      expect(warning.field).toBe('policy.artifacts.attestations[0].if')
      expect(warning.message).toMatch(/^If flow\.tags\.env is not set, the rule applies; write/)
      await attach(app, name, name)
      await report(app, name, 'd1')
      const { artifacts } = await readLatestSnapshot(app, name)
      expect(artifacts[0].compliant).toBe(false)
      const [reason] = artifacts[0].reasons_for_incompliance
      expect(reason.description).toContain('the rule applies because flow.tags.env is not set')
      expect(reason.remedy).toContain("start the condition with 'exists(flow.tags.env) and'")
    },
  )

  it('is shown by a try, together with advice on how to fix it', async () => {
    await makeEnvironment(app, 'tried')
    await report(app, 'tried', 'd1')
    const attempt = async (condition: string) =>
      (
        await app.member.post('/policies/acme/try', {
          policy_yaml: buildPolicy(condition),
          environments: ['tried'],
        })
      ).body
    const unclear = await attempt('flow.tags.env != "dev"')
    expect(unclear.summary.artifacts_that_would_turn_red).toBe(1)
    expect(unclear.warnings).toHaveLength(1)
    const only_tagged = await attempt('exists(flow.tags.env) and flow.tags.env != "dev"')
    expect(only_tagged).toMatchObject({ summary: { artifacts_that_would_turn_red: 0 }, warnings: [] })
    const untagged_too = await attempt('not exists(flow.tags.env) or flow.tags.env != "dev"')
    expect(untagged_too).toMatchObject({ summary: { artifacts_that_would_turn_red: 1 }, warnings: [] })
  })
})

describe('a custom type that does not exist', () => {
  const message = expect.stringContaining("The custom attestation type 'load' does not exist")

  it('is accepted in a policy, with a warning on put, read and try, until it exists', async () => {
    const policy_yaml =
      '_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n    - {name: l, type: "custom:load"}\n'
    const put = () => app.member.put('/policies/acme/load', { policy_yaml })
    const first = await put()
    expect([first.status, first.body]).toEqual([201, 'OK'])
    expect(JSON.parse(String(first.headers['waybill-warnings']))).toEqual([
      { field: 'policy.artifacts.attestations[0].type', message },
    ])
    expect((await app.reader.get('/policies/acme/load/versions/1')).body.warnings).toMatchObject([
      { message },
    ])
    expect((await app.member.post('/policies/acme/try', { policy_yaml })).body.warnings).toMatchObject([
      { message },
    ])
    await app.member.post('/custom-attestation-types/acme', { name: 'load' })
    expect((await put()).headers['waybill-warnings']).toBeUndefined()
  })

  it('is accepted in a template the same way', async () => {
    const template = `version: 1
trail:
  attestations: [{name: perf, type: "custom:latency"}]
  artifacts: [{name: image, attestations: [{name: size, type: "custom:größe"}]}]
`
    const sent = {
      data_json: JSON.stringify({ name: 'with-types', description: '' }),
      template_file: makeFile(template),
    }
    const put = await app.member.form('PUT', '/flows/acme/template_file', sent)
    const warnings = [
      {
        field: 'template.trail.attestations[perf].type',
        message:
          "The custom attestation type 'latency' does not exist; nothing can fill 'perf' until it is created",
      },
      {
        field: 'template.trail.artifacts[image].attestations[size].type',
        message:
          "The custom attestation type 'größe' does not exist; nothing can fill 'size' until it is created",
      },
    ]
    expect(JSON.parse(String(put.headers['waybill-warnings']))).toEqual(warnings)
    expect((await app.reader.get('/flows/acme/with-types')).body.warnings).toEqual(warnings)
  })
})
