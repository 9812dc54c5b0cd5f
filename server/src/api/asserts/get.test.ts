import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../../../test/controls.ts'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { listStatements } from '../../../test/statement-log.ts'

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: generic
  artifacts:
    - name: image
      attestations:
        - name: unit
          type: junit
    - name: other
`
const TRAIL_COMPLIANCE = `_schema: https://waybill.example/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build', TEMPLATE)
  await makeFlow(app, 'scan')
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'strict', TRAIL_COMPLIANCE)
  await putPolicy(app, 'scanned', buildPolicyRequiring('scan'))
})
afterAll(() => app.stop())

const ask = (start: string, query = '') =>
  app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint(start)}${query === '' ? '' : `?${query}`}`)

const reportArtifact = (start: string, flow = 'build', trail = start) =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(start), { ...nameTrail(trail), filename: buildImageName(start) }),
  )

const attest = (start: string, attestation_name: string, is_compliant = true, flow = 'build') =>
  app.member.post(`/attestations/acme/${flow}/trail/${start}/generic`, {
    attestation_name,
    is_compliant,
    artifact_fingerprint: makeFingerprint(start),
  })

const review = (trail: string, is_compliant = true) =>
  app.member.post(`/attestations/acme/build/trail/${trail}/generic`, {
    attestation_name: 'review',
    is_compliant,
  })

const allow = (environment: string, start: string, more: Record<string, unknown> = {}) =>
  app.admin.put(`/allowlists/acme/${environment}`, {
    artifact_fingerprint: makeFingerprint(start),
    artifact_name: buildImageName(start),
    description: 'vendor',
    ...more,
  })

async function reportTested(start: string): Promise<void> {
  await reportArtifact(start)
  await review(start)
  await app.member.post(`/attestations/acme/build/trail/${start}/junit`, {
    attestation_name: 'unit',
    artifact_fingerprint: makeFingerprint(start),
    junit_results: [{ name: 'unit', failures: 0, errors: 0, skipped: 0, total: 3, duration: 1.5 }],
  })
}

describe('200 by the templates of the flows', () => {
  it('names the missing evidence and the remedy, and agrees with the trail', async () => {
    await reportArtifact('10')
    await review('10', false)
    const { status, body } = await ask('10')
    expect(status).toBe(200)
    const trail = (await app.reader.get('/trails/acme/build/10')).body.compliance_status
    const own = trail.artifacts_statuses.image
    expect(own.status).toBe('NON-COMPLIANT')
    expect(body).toEqual({
      scope: 'flow',
      compliant: false,
      unknown_because: null,
      artifact_name: buildImageName('10'),
      artifact_fingerprint: makeFingerprint('10'),
      policy_evaluations: [],
      flows: [
        {
          flow: 'build',
          trail: '10',
          compliance_status: {
            status: own.status,
            is_compliant: false,
            attestations_statuses: [...trail.attestations_statuses, ...own.attestations_statuses],
            reasons: own.reasons,
            evaluated_at: trail.evaluated_at,
            flow_template_id: trail.flow_template_id,
          },
        },
      ],
      html_url: `${BASE_URL}/acme/flows/build/artifacts/${makeFingerprint('10')}?artifact_id=${own.artifact_id}`,
      allow_listed: null,
      reasons: [
        {
          type: 'non_compliant_attestation',
          description: "Attestation 'review' on the trail is not compliant",
          policy_name: null,
          policy_version: null,
          rule: null,
          artifact_name: buildImageName('10'),
          artifact_fingerprint: makeFingerprint('10'),
          flow_name: 'build',
          trail_name: '10',
          attestation_name: 'review',
          attestation_type: 'generic',
          for_control: null,
          expected: 'a compliant attestation',
          found: 'a non-compliant attestation',
          remedy: "Report attestation 'review' again, compliant, on trail '10' of flow 'build'",
        },
        expect.objectContaining({
          type: 'missing_attestation',
          attestation_name: 'unit',
          attestation_type: 'junit',
          found: 'nothing',
          remedy:
            "Report a compliant attestation 'unit' of type 'junit' on trail '10' of flow 'build' for artifact 'image'",
        }),
      ],
    })
  })

  it('evaluates the artifact, whatever else is missing on its trail', async () => {
    await reportTested('11')
    expect((await app.reader.get('/trails/acme/build/11')).body.compliance_state).toBe('INCOMPLETE')
    const { body } = await ask('11')
    expect(body).toMatchObject({ compliant: true, reasons: [] })
    expect(body.flows[0].compliance_status).toMatchObject({ status: 'COMPLIANT', is_compliant: true })
    const names = body.flows[0].compliance_status.attestations_statuses.map(
      (status: { attestation_name: string }) => status.attestation_name,
    )
    expect(names).toEqual(['review', 'unit'])
  })

  it('evaluates a build that another one replaced on its trail', async () => {
    await reportTested('12')
    await reportArtifact('13', 'build', '12')
    expect((await ask('12')).body.compliant).toBe(true)
    expect((await ask('13')).body).toMatchObject({
      compliant: false,
      reasons: [{ attestation_name: 'unit' }],
    })
  })

  it('requires every flow that has it, in order of reporting, unless one is requested', async () => {
    await reportArtifact('14', 'scan')
    await reportArtifact('14', 'build')
    const { body } = await ask('14')
    expect(body.compliant).toBe(false)
    expect(body.flows.map(({ flow }: { flow: string }) => flow)).toEqual(['scan', 'build'])
    expect(body.html_url).toContain(`/flows/scan/artifacts/${makeFingerprint('14')}?artifact_id=`)
    expect((await ask('14', 'flow_name=scan')).body).toMatchObject({ compliant: true, reasons: [] })
    const narrowed = (await ask('14', 'flow_name=build')).body
    expect(narrowed).toMatchObject({ scope: 'flow', compliant: false, flows: [{ flow: 'build' }] })
  })

  it('counts a non-compliant attestation that is not in the template', async () => {
    await reportArtifact('15', 'scan')
    await attest('15', 'extra', false, 'scan')
    expect((await ask('15')).body).toMatchObject({
      compliant: false,
      reasons: [{ attestation_name: 'extra' }],
    })
  })

  it('finds artifacts without a trail', async () => {
    await app.member.post('/artifacts/acme/scan', makeBuild(makeFingerprint('16')))
    const { body } = await ask('16')
    expect(body).toMatchObject({
      compliant: true,
      flows: [{ flow: 'scan', trail: null, compliance_status: null }],
    })
    expect(body.html_url).toBe(`${BASE_URL}/acme/flows/scan/artifacts/${makeFingerprint('16')}`)
    expect((await ask('16', 'policy_name=strict')).body.compliant).toBe(true)
    await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('17')))
    expect((await ask('17')).body).toMatchObject({
      compliant: false,
      reasons: [{ type: 'incomplete_artifact', flow_name: 'build', trail_name: null, found: 'INCOMPLETE' }],
    })
  })
})

describe('200 by an environment', () => {
  it('evaluates the attached policies live, with every rule and the reasons', async () => {
    await makeEnvironment(app, 'live')
    await attach(app, 'live', 'strict', 'scanned')
    await reportArtifact('20', 'scan')
    const red = (await ask('20', 'environment_name=live')).body
    expect(red).toMatchObject({
      scope: 'environment',
      environment: 'live',
      compliant: false,
      allow_listed: null,
    })
    const decisions = red.policy_evaluations.map((decision: Record<string, unknown>) => [
      decision.policy_name,
      decision.policy_version,
      decision.status,
    ])
    expect(decisions).toEqual([
      ['strict', 1, 'COMPLIANT'],
      ['scanned', 1, 'NON-COMPLIANT'],
    ])
    expect(red.policy_evaluations[1].rule_evaluations[2]).toEqual({
      rule: {
        type: 'attestation',
        definition: { if: null, name: 'scan', type: 'generic', must_be_compliant: true, for_control: null },
      },
      satisfied: false,
      ignored: false,
      resolutions: [
        {
          type: 'missing_attestation',
          context: { flow_name: 'scan', trail_name: '20', artifact_status: null },
        },
      ],
    })
    expect(red.reasons).toHaveLength(1)
    expect(red.reasons[0]).toMatchObject({ policy_name: 'scanned', type: 'missing_attestation' })
    expect(red.reasons[0].remedy).toMatch(/^Report a compliant 'scan' attestation/)
    await attest('20', 'scan', true, 'scan')
    expect((await ask('20', 'environment_name=live')).body).toMatchObject({ compliant: true, reasons: [] })
  })

  it('gives a running artifact the same verdict as the snapshot', async () => {
    await makeEnvironment(app, 'runs')
    await attach(app, 'runs', 'scanned')
    await reportArtifact('21', 'scan')
    await report(app, 'runs', '21')
    const [ran] = (await app.reader.get('/snapshots/acme/runs/-1')).body.artifacts
    const { body } = await ask('21', 'environment_name=runs')
    expect(body.policy_evaluations).toEqual(ran.policy_decisions)
    expect(body.reasons).toEqual(ran.reasons_for_incompliance)
  })

  it('is compliant when no policy is attached, and says that nothing was checked', async () => {
    await reportArtifact('22')
    const { body } = await ask('22', 'environment_name=prod')
    expect(body).toMatchObject({
      scope: 'environment',
      environment: 'prod',
      compliant: true,
      unknown_because: 'no-policies',
      policy_evaluations: [],
      reasons: [],
    })
    expect(body.flows[0].compliance_status.status).toBe('INCOMPLETE')
  })

  it('allows an artifact on the allow-list until the entry expires, whether a flow has it or not', async () => {
    await makeEnvironment(app, 'lists')
    await attach(app, 'lists', 'scanned')
    await reportArtifact('23', 'scan')
    const expires_at = app.clock.now().getTime() / 1000 + 60
    await allow('lists', '23', { expires_at })
    await allow('lists', '24')
    const known = (await ask('23', 'environment_name=lists')).body
    expect(known).toMatchObject({
      compliant: true,
      reasons: [],
      allow_listed: { description: 'vendor', created_by: 'ada', expires_at },
      policy_evaluations: [{ status: 'NON-COMPLIANT' }],
    })
    const unknown = (await ask('24', 'environment_name=lists')).body
    expect(unknown).toMatchObject({ compliant: true, flows: [], artifact_name: buildImageName('24') })
    expect(unknown.html_url).toBe(`${BASE_URL}/acme/environments/lists`)
    expect((await ask('23', 'policy_name=scanned')).body).toMatchObject({
      compliant: false,
      allow_listed: null,
    })
    app.clock.advance(60_000)
    expect((await ask('23', 'environment_name=lists')).body).toMatchObject({
      compliant: false,
      allow_listed: null,
      reasons: [{ policy_name: 'scanned' }],
    })
  })

  it('evaluates every member of a logical environment, each with its own allow-list', async () => {
    await makeEnvironment(app, 'east')
    await makeEnvironment(app, 'west')
    await makeEnvironment(app, 'world', { type: 'logical', included_environments: ['east', 'west'] })
    await reportArtifact('25', 'scan')
    const readAssertion = async () => (await ask('25', 'environment_name=world')).body
    expect(await readAssertion()).toMatchObject({ compliant: true, policy_evaluations: [] })
    await attach(app, 'east', 'scanned')
    await attach(app, 'west', 'scanned')
    const red = await readAssertion()
    expect(red).toMatchObject({ compliant: false, environment: 'world', allow_listed: null })
    expect(red.policy_evaluations).toHaveLength(1)
    await allow('east', '25')
    expect(await readAssertion()).toMatchObject({ compliant: false, allow_listed: null, reasons: [{}] })
    await allow('west', '25')
    expect(await readAssertion()).toMatchObject({ compliant: true, allow_listed: {}, reasons: [] })
  })

  it('evaluates a single flow when it is requested', async () => {
    await makeEnvironment(app, 'narrow')
    await attach(app, 'narrow', 'strict')
    await reportArtifact('26', 'scan')
    await reportArtifact('26', 'build')
    expect((await ask('26', 'environment_name=narrow')).body.compliant).toBe(false)
    const { body } = await ask('26', 'environment_name=narrow&flow_name=scan')
    expect(body).toMatchObject({ scope: 'environment', compliant: true, flows: [{ flow: 'scan' }] })
    expect(body.policy_evaluations[0].rule_evaluations[0].resolutions).toHaveLength(1)
  })
})

describe('200 by policies', () => {
  it('evaluates the named policies in the requested order, attached or not, in their latest versions', async () => {
    await putPolicy(app, 'second', buildPolicyRequiring('nothing'))
    await putPolicy(app, 'second', buildPolicyRequiring())
    await reportArtifact('30', 'scan')
    const { body } = await ask('30', 'policy_name=second&policy_name=scanned&policy_name=second')
    expect(body).toMatchObject({ scope: 'policy', compliant: false })
    expect(body).not.toHaveProperty('environment')
    const decisions = body.policy_evaluations.map((decision: Record<string, unknown>) => [
      decision.policy_name,
      decision.policy_version,
      decision.status,
    ])
    expect(decisions).toEqual([
      ['second', 2, 'COMPLIANT'],
      ['scanned', 1, 'NON-COMPLIANT'],
    ])
    expect((await ask('30', 'policy_name=second')).body).toMatchObject({ compliant: true, reasons: [] })
  })

  it('evaluates a decision for a control, missing and made', async () => {
    const policyHead = '_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n'
    await addControl(app, 'C1')
    await putPolicy(app, 'control', `${policyHead}    - type: decision\n      for_control: C1\n`)
    await reportArtifact('31', 'scan')
    const { body } = await ask('31', 'policy_name=control')
    expect(body.policy_evaluations[0].rule_evaluations[2].resolutions[0]).toMatchObject({
      type: 'missing_attestation',
      context: { for_control: 'C1' },
    })
    await app.member.post('/attestations/acme/scan/trail/31/system', {
      attestation_name: 'decided',
      type_name: 'decision',
      control: 'C1',
      attestation_data: { is_compliant: false },
    })
    const decided = (await ask('31', 'policy_name=control')).body
    expect(decided.reasons[0]).toMatchObject({ type: 'non_compliant_attestation', for_control: 'C1' })
  })
})

describe('200 for a prefix of a fingerprint', () => {
  it('that matches one artifact', async () => {
    await reportArtifact('4012345', 'scan')
    const { status, body } = await app.reader.get('/asserts/acme/fingerprint/40123')
    expect(status).toBe(200)
    expect(body.artifact_fingerprint).toBe(makeFingerprint('4012345'))
  })
})

it('costs the same number of statements for one flow and for many', async () => {
  await reportArtifact('50', 'scan')
  for (const flow of ['one', 'two', 'three', 'four']) {
    await makeFlow(app, flow)
    await reportArtifact('51', flow)
  }
  await attach(app, 'prod', 'strict', 'scanned')
  const recordStatementsFor = (start: string) =>
    listStatements(app, async () => {
      expect((await ask(start, 'environment_name=prod')).status).toBe(200)
    })
  await recordStatementsFor('50')
  expect(await recordStatementsFor('51')).toEqual(await recordStatementsFor('50'))
})
