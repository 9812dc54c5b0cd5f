import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestIndex,
  report,
} from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await putPolicy(app, 'tested', buildPolicyRequiring('unit', 'lint'))
})
afterAll(() => app.stop())

const read = async (name: string, query = '') => {
  const { status, body } = await app.reader.get(`/environments/acme/${name}/compliance${query}`)
  expect(status).toBe(200)
  return body
}

const reportArtifact = (start: string) =>
  app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint(start), { ...nameTrail(start), filename: buildImageName(start) }),
  )

const attest = (start: string, attestation_name: string, is_compliant = true) =>
  app.member.post(`/attestations/acme/build/trail/${start}/generic`, {
    attestation_name,
    is_compliant,
    artifact_fingerprint: makeFingerprint(start),
  })

async function prepareEnvironment(name: string, ...running: string[]) {
  await makeEnvironment(app, name)
  await attach(app, name, 'tested')
  await report(app, name, ...running)
  await app.evaluate()
}

describe('200', () => {
  it('lists non-compliant artifacts with reasons and remedies, each once', async () => {
    await reportArtifact('1a')
    await reportArtifact('1b')
    await attest('1b', 'unit')
    await attest('1b', 'lint')
    await prepareEnvironment('prod', '1a', '1b')
    const body = await read('prod')
    expect(body).toEqual({
      environment_name: 'prod',
      snapshot_index: 1,
      state: false,
      unknown_because: null,
      is_stale: false,
      stale_since: null,
      is_partial: false,
      partial_since: null,
      missing: [],
      is_pending: false,
      artifact_compliance_count: { true: 1, false: 1, null: 0 },
      policies: [{ name: 'tested', version: 1 }],
      non_compliant: [
        {
          artifact_name: buildImageName('1a'),
          fingerprint: makeFingerprint('1a'),
          reasons: [
            expect.objectContaining({ attestation_name: 'unit', policy_name: 'tested' }),
            expect.objectContaining({ attestation_name: 'lint', policy_name: 'tested' }),
          ],
          remedies: [expect.stringContaining("'unit'"), expect.stringContaining("'lint'")],
        },
      ],
    })
    const [ran] = (await app.reader.get('/snapshots/acme/prod/-1')).body.artifacts
    expect(body.non_compliant[0].reasons).toEqual(ran.reasons_for_incompliance)
  })

  it('lists a remedy once for artifacts that were not reported to any flow', async () => {
    const twice = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
    await putPolicy(app, 'first', twice)
    await putPolicy(app, 'again', twice)
    await makeEnvironment(app, 'repeated')
    await attach(app, 'repeated', 'first', 'again')
    await report(app, 'repeated', '1c')
    const [failing] = (await read('repeated')).non_compliant
    expect(failing.reasons).toHaveLength(2)
    expect(failing.remedies).toEqual([
      `Report the artifact with fingerprint ${makeFingerprint('1c')} to a flow`,
    ])
  })

  it('lists the other artifacts when all are requested', async () => {
    await reportArtifact('2a')
    await prepareEnvironment('all', '2a', '2b')
    const entry = { artifact_fingerprint: makeFingerprint('2b'), artifact_name: 'x', description: 'vendor' }
    await app.admin.put('/allowlists/acme/all', entry)
    await app.evaluate()
    const body = await read('all', '?all=true')
    expect(body.non_compliant).toHaveLength(1)
    expect(body.others).toEqual([
      {
        artifact_name: buildImageName('2b'),
        fingerprint: makeFingerprint('2b'),
        compliant: true,
        allow_listed: { description: 'vendor', created_by: 'ada', expires_at: null },
      },
    ])
    expect(await read('all', '?all=false')).not.toHaveProperty('others')
  })

  it('shows reasons that made no snapshot', async () => {
    await reportArtifact('3a')
    await prepareEnvironment('ahead', '3a')
    const before = await readLatestIndex(app, 'ahead')
    await attest('3a', 'unit')
    const waiting = await read('ahead')
    expect(waiting.is_pending).toBe(true)
    expect(waiting.non_compliant[0].reasons).toHaveLength(2)
    await app.evaluate()
    const evaluated = await read('ahead')
    expect(evaluated).toMatchObject({ is_pending: false, state: false, snapshot_index: before })
    expect(evaluated.non_compliant[0].reasons).toMatchObject([{ attestation_name: 'lint' }])
    const [shown] = (await app.reader.get('/snapshots/acme/ahead/-1')).body.artifacts
    expect(shown.reasons_for_incompliance).toHaveLength(2)
  })

  it('becomes compliant when the evidence arrives', async () => {
    await reportArtifact('4a')
    await prepareEnvironment('greens', '4a')
    await attest('4a', 'unit')
    await attest('4a', 'lint')
    await app.evaluate()
    const body = await read('greens')
    expect(body).toMatchObject({ state: true, snapshot_index: 2, non_compliant: [] })
    expect(body.artifact_compliance_count).toEqual({ true: 1, false: 0, null: 0 })
  })

  it('is unknown before the first report and without policies', async () => {
    await makeEnvironment(app, 'fresh')
    await attach(app, 'fresh', 'tested')
    expect(await read('fresh')).toMatchObject({
      state: null,
      unknown_because: 'never-reported',
      snapshot_index: 0,
      non_compliant: [],
    })
    await report(app, 'fresh')
    expect(await read('fresh')).toMatchObject({ state: true, snapshot_index: 1 })
    await makeEnvironment(app, 'free')
    await report(app, 'free', '5a')
    expect(await read('free', '?all=true')).toMatchObject({
      state: null,
      unknown_because: 'no-policies',
      policies: [],
      artifact_compliance_count: { true: 0, false: 0, null: 1 },
      others: [{ fingerprint: makeFingerprint('5a'), compliant: null, allow_listed: null }],
    })
  })

  it('combines the members of a logical environment', async () => {
    await reportArtifact('6a')
    await prepareEnvironment('east', '6a')
    await prepareEnvironment('west', '6a', '6b')
    await makeEnvironment(app, 'world', { type: 'logical', included_environments: ['west', 'east'] })
    const body = await read('world', '?all=true')
    expect(body).toMatchObject({
      environment_name: 'world',
      snapshot_index: 1,
      state: false,
      artifact_compliance_count: { true: 0, false: 3, null: 0 },
      policies: [{ name: 'tested', version: 1 }],
      others: [],
    })
    const places = body.non_compliant.map((row: Record<string, unknown>) => [
      row.environment_name,
      row.fingerprint,
    ])
    expect(places).toEqual([
      ['east', makeFingerprint('6a')],
      ['west', makeFingerprint('6a')],
      ['west', makeFingerprint('6b')],
    ])
    await makeEnvironment(app, 'nobody', { type: 'logical' })
    expect(await read('nobody')).toMatchObject({ state: null, non_compliant: [], policies: [] })
  })
})

describe('400', () => {
  it('refuses a value other than true or false', async () => {
    expect((await app.reader.get('/environments/acme/prod/compliance?all=some')).status).toBe(400)
  })
})

describe('404', () => {
  it('names an environment that does not exist or is archived', async () => {
    const unknown = await app.reader.get('/environments/acme/none/compliance')
    expect(unknown.status).toBe(404)
    expect(unknown.body).toEqual({
      message: "Environment named 'none' does not exist for organization 'acme'",
    })
    await makeEnvironment(app, 'gone')
    await app.admin.put('/environments/acme/gone/archive')
    expect((await app.reader.get('/environments/acme/gone/compliance')).body.message).toContain('archived')
  })
})
