// Verdicts follow evidence: every change of a verdict, and nothing else, creates a snapshot soon after. Every
// non-compliant verdict has its reasons, and allow-list entries apply only to the artifacts they name.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../src/admin/check.ts'
import { addControl } from './controls.ts'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestIndex,
  readLatestSnapshot,
  report,
} from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

let app: TestApp
let environments = 0
/** A new environment for each test, with a policy of the same name. */
let env: string
/** Each test also has its own fingerprints. */
const a = () => `a${environments.toString(16).padStart(3, '0')}`
const b = () => `b${environments.toString(16).padStart(3, '0')}`

beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
})
afterAll(() => app.stop())
beforeEach(async () => {
  env = `env-${++environments}`
  await makeEnvironment(app, env)
  await putPolicy(app, env, buildPolicyRequiring('unit'))
})

const reportArtifact = (start: string, trail = `trail-${start}`, flow = 'build') =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(start), { ...nameTrail(trail), filename: buildImageName(start) }),
  )

const attest = (start: string, attestation_name: string, is_compliant: boolean, flow = 'build') =>
  app.member.post(`/attestations/acme/${flow}/trail/trail-${start}/generic`, {
    attestation_name,
    is_compliant,
    artifact_fingerprint: makeFingerprint(start),
  })

/** The latest snapshot: its number and state, and the state and reasons of each artifact. */
async function readStates() {
  const { index, state, cause, artifacts } = await readLatestSnapshot(app, env)
  return {
    index,
    state,
    cause,
    artifacts: Object.fromEntries(
      artifacts.map(
        (shown: {
          name: string
          compliance_state: string
          annotation: { type: string }
          reasons_for_incompliance: { type: string }[]
        }) => [
          shown.name,
          [
            shown.compliance_state,
            shown.annotation.type,
            ...shown.reasons_for_incompliance.map(({ type }) => type),
          ],
        ],
      ),
    ),
  }
}

describe('a verdict', () => {
  it('is unknown without a policy, and known as soon as one is attached', async () => {
    await report(app, env, a())
    expect(await readStates()).toMatchObject({ index: 1, state: null })
    await attach(app, env, env)
    expect(await readStates()).toEqual({
      index: 2,
      state: false,
      cause: 'policies',
      artifacts: {
        [buildImageName(a())]: [
          'NON-COMPLIANT',
          'became-non-compliant',
          'no_provenance',
          'missing_attestation',
        ],
      },
    })
    await app.member.delete(`/environments/acme/${env}/policies`, { policy_names: [env] })
    expect(await readStates()).toMatchObject({ index: 3, state: null })
  })

  it('changes with the evidence, and names the missing evidence until then', async () => {
    await report(app, env, a())
    await attach(app, env, env)
    await reportArtifact(a())
    await app.evaluate()
    // Provenance arrived, but the verdict did not change: no snapshot.
    expect(await readLatestIndex(app, env)).toBe(2)
    await attest(a(), 'unit', false)
    await app.evaluate()
    expect(await readLatestIndex(app, env)).toBe(2)
    await attest(a(), 'unit', true)
    await app.evaluate()
    expect(await readStates()).toEqual({
      index: 3,
      state: true,
      cause: 'evidence',
      artifacts: { [buildImageName(a())]: ['COMPLIANT', 'became-compliant'] },
    })
    await attest(a(), 'unit', false)
    await app.evaluate()
    expect((await readStates()).artifacts[buildImageName(a())]).toEqual([
      'NON-COMPLIANT',
      'became-non-compliant',
      'non_compliant_attestation',
    ])
  })

  it('is explained in full', async () => {
    await reportArtifact(a())
    await attach(app, env, env)
    await report(app, env, a())
    const { artifacts } = await readLatestSnapshot(app, env)
    expect(artifacts[0].reasons_for_incompliance).toEqual([
      {
        type: 'missing_attestation',
        description: expect.stringContaining(`trail-${a()}`),
        policy_name: env,
        policy_version: 1,
        rule: 'attestation',
        artifact_name: buildImageName(a()),
        artifact_fingerprint: makeFingerprint(a()),
        flow_name: 'build',
        trail_name: `trail-${a()}`,
        attestation_name: 'unit',
        attestation_type: 'generic',
        for_control: null,
        expected: expect.any(String),
        found: 'nothing',
        remedy: expect.stringContaining('unit'),
      },
    ])
    expect(artifacts[0]).toMatchObject({ flow_name: 'build', annotation: { type: 'started-non-compliant' } })
  })

  it('changes once for evidence that arrives together', async () => {
    await report(app, env, a(), b())
    await attach(app, env, env)
    for (const start of [a(), b()]) {
      await reportArtifact(start)
      await attest(start, 'unit', true)
      await attest(start, 'other', true)
    }
    await app.evaluate()
    expect(await readStates()).toMatchObject({ index: 3, state: true })
  })

  it('does not change with evidence that is not required', async () => {
    await reportArtifact(a())
    await attest(a(), 'unit', true)
    await attach(app, env, env)
    await report(app, env, a())
    const { index } = await readStates()
    await attest(a(), 'unit', true)
    await attest(a(), 'extra', false)
    await attest(a(), 'extra', true)
    await app.evaluate()
    expect(await readLatestIndex(app, env)).toBe(index)
  })

  it('changes with an override', async () => {
    await reportArtifact(a())
    await attest(a(), 'unit', false)
    await attach(app, env, env)
    await report(app, env, a())
    expect(await readStates()).toMatchObject({ state: false })
    const done = await app.member.post(`/attestations/acme/build/trail/trail-${a()}/override`, {
      attestation_name: 'unit',
      artifact_fingerprint: makeFingerprint(a()),
      reason: 'known and accepted',
      new_compliance_status: true,
      original_attestation_type: 'generic',
    })
    expect(done.status).toBe(200)
    await app.evaluate()
    expect(await readStates()).toMatchObject({ state: true, cause: 'evidence' })
  })

  it('changes with a decision on a control', async () => {
    await addControl(app, 'SDLC-1')
    await putPolicy(
      app,
      env,
      `_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n    - type: decision\n      for_control: SDLC-1\n`,
    )
    await reportArtifact(a())
    await attach(app, env, env)
    await report(app, env, a())
    expect((await readStates()).artifacts[buildImageName(a())]).toEqual([
      'NON-COMPLIANT',
      'started-non-compliant',
      'missing_attestation',
    ])
    const decide = (is_compliant: boolean) =>
      app.member.post(`/attestations/acme/build/trail/trail-${a()}/system`, {
        attestation_name: 'sdlc',
        type_name: 'decision',
        control: 'SDLC-1',
        attestation_data: { is_compliant },
      })
    expect((await decide(true)).status).toBe(201)
    await app.evaluate()
    expect(await readStates()).toMatchObject({ state: true })
    await decide(false)
    await app.evaluate()
    expect((await readStates()).artifacts[buildImageName(a())]?.at(-1)).toBe('non_compliant_attestation')
  })

  it('changes with a new version of the policy, and names the version', async () => {
    await reportArtifact(a())
    await attest(a(), 'unit', true)
    await attach(app, env, env)
    await report(app, env, a())
    expect(await readStates()).toMatchObject({ index: 1, state: true })
    await putPolicy(app, env, buildPolicyRequiring('unit', 'scan'))
    await app.evaluate()
    const snapshot = await readLatestSnapshot(app, env)
    expect(snapshot).toMatchObject({ index: 2, state: false, cause: 'policies' })
    expect(snapshot.applied_policies).toMatchObject([
      { name: env, version: 2, failing_artifacts: [makeFingerprint(a())] },
    ])
    const [first] = (await app.reader.get(`/snapshots/acme/${env}/1`)).body.applied_policies
    expect(first).toMatchObject({ version: 1, failing_artifacts: [] })
  })

  it('changes with the tags and the name of a flow', async () => {
    const flow = `tagged-${environments}`
    await makeFlow(app, flow)
    await putPolicy(
      app,
      env,
      `_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n    - name: scan\n      type: generic\n      if: \${{ (exists(flow.tags.risk) and flow.tags.risk == "high") or flow.name == "renamed-${environments}" }}\n`,
    )
    await reportArtifact(a(), `trail-${a()}`, flow)
    await attach(app, env, env)
    await report(app, env, a())
    expect(await readStates()).toMatchObject({ index: 1, state: true })
    await app.member.patch(`/tags/acme/flow/${flow}`, { set_tags: { risk: 'high' } })
    await app.evaluate()
    expect(await readStates()).toMatchObject({ index: 2, state: false })
    await app.member.patch(`/tags/acme/flow/${flow}`, { remove_tags: ['risk'] })
    await app.evaluate()
    expect(await readStates()).toMatchObject({ index: 3, state: true })
    await app.member.put(`/flows/acme/${flow}/rename`, { new_name: `renamed-${environments}` })
    await app.evaluate()
    expect(await readStates()).toMatchObject({ index: 4, state: false })
  })

  it('changes with the template of a trail when the policy requires trail compliance', async () => {
    await putPolicy(
      app,
      env,
      '_schema: https://waybill.example/v1\nartifacts:\n  trail-compliance:\n    required: true\n',
    )
    await reportArtifact(a())
    await attach(app, env, env)
    await report(app, env, a())
    expect(await readStates()).toMatchObject({ index: 1, state: true })
    const template = 'version: 1\ntrail:\n  attestations:\n    - {name: review, type: generic}\n'
    await app.member.form('PUT', '/trails/acme/build', {
      data_json: JSON.stringify({ name: `trail-${a()}` }),
      template_file: new Blob([template]),
    })
    await app.evaluate()
    expect((await readStates()).artifacts[buildImageName(a())]?.at(-1)).toBe('non_compliant_in_trail')
  })

  it('is evaluated again when an environment is unarchived', async () => {
    await reportArtifact(a())
    await attach(app, env, env)
    await report(app, env, a())
    await app.member.put(`/environments/acme/${env}/archive`)
    await attest(a(), 'unit', true)
    await app.evaluate()
    await app.member.put(`/environments/acme/${env}/unarchive`)
    expect(await readStates()).toMatchObject({ index: 2, state: true })
  })

  it('is not missed when evidence and a start arrive at the same time', async () => {
    await attach(app, env, env)
    const starts = Array.from({ length: 24 }, (_, i) => `${a()}${i.toString(16).padStart(2, '0')}`)
    for (const start of starts) await reportArtifact(start)
    await report(app, env)
    await Promise.all(
      starts.flatMap((start, i) => [
        attest(start, 'unit', true),
        report(app, env, ...starts.slice(0, i + 1)),
      ]),
    )
    await report(app, env, ...starts)
    await app.evaluate()
    const { state, artifacts } = await readStates()
    expect(Object.values(artifacts).map(([verdict]) => verdict)).toEqual(starts.map(() => 'COMPLIANT'))
    expect(state).toBe(true)
  })
})

it('agrees with the integrity check for all environments', async () => {
  await app.evaluate()
  const bad = (await checkIntegrity(app.owner)).filter(({ ok }) => !ok)
  expect(bad).toEqual([])
})

describe('the allow-list', () => {
  const allow = (start: string, more = {}) =>
    app.member.put(`/allowlists/acme/${env}`, {
      artifact_fingerprint: makeFingerprint(start),
      artifact_name: buildImageName(start),
      description: 'made elsewhere',
      ...more,
    })

  it('makes only the artifacts it names compliant', async () => {
    await report(app, env, a(), b())
    await attach(app, env, env)
    await allow(a())
    const { artifacts, index } = await readStates()
    expect(index).toBe(3)
    expect(artifacts[buildImageName(a())]).toEqual(['COMPLIANT', 'became-compliant'])
    expect(artifacts[buildImageName(b())]?.[0]).toBe('NON-COMPLIANT')
    const [shown] = (await readLatestSnapshot(app, env)).artifacts
    expect(shown.allow_listed).toMatchObject({ description: 'made elsewhere', created_by: 'max' })
  })

  it('applies only to its own environment', async () => {
    const other = `${env}-other`
    await makeEnvironment(app, other)
    await attach(app, env, env)
    await attach(app, other, env)
    await allow(a())
    await report(app, env, a())
    await report(app, other, a())
    expect(await readLatestSnapshot(app, env)).toMatchObject({ state: true })
    expect(await readLatestSnapshot(app, other)).toMatchObject({ state: false })
  })

  it('applies until the entry is removed', async () => {
    await attach(app, env, env)
    await allow(a())
    await report(app, env, a())
    await app.member.delete(`/allowlists/acme/${env}/${makeFingerprint(a())}`)
    expect(await readStates()).toMatchObject({ index: 2, state: false, cause: 'allow-list' })
  })

  it('applies until the entry expires', async () => {
    await attach(app, env, env)
    await allow(a(), { expires_at: app.clock.now().getTime() / 1000 + 60 })
    await report(app, env, a())
    await app.evaluate()
    expect(await readStates()).toMatchObject({ index: 1, state: true })
    app.clock.advance(61_000)
    await app.evaluate()
    expect(await readStates()).toMatchObject({ index: 2, state: false, cause: 'allow-list' })
    expect((await app.readEvents('allow_list_entry_expired')).at(-1)).toMatchObject({
      actor: 'waybill',
      data: { artifact_fingerprint: makeFingerprint(a()) },
    })
  })
})
