import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  makeSuites,
  nameTrail,
  OTHER_SHA,
  readStoredRows,
  SHA,
} from '../../../test/reports.ts'

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: generic
  artifacts:
    - name: api
      attestations:
        - name: tests
          type: junit
    - name: web
      attestations:
        - name: tests
          type: junit
`
const COMMIT = { sha1: SHA, branch: 'main' }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci', TEMPLATE)
})
afterAll(() => app.stop())

const attest = (trail: string, body: Record<string, unknown>, flow = 'ci') =>
  app.member.post(`/attestations/acme/${flow}/trail/${trail}/junit`, {
    attestation_name: 'tests',
    junit_results: makeSuites(0),
    ...body,
  })
const report = (trail: string, name: string, fingerprint: string, git_commit = SHA) =>
  app.member.post(
    '/artifacts/acme/ci',
    makeBuild(fingerprint, { ...nameTrail(trail, name), git_commit, filename: `${name}:1` }),
  )
const begin = (name: string) => app.member.put('/trails/acme/ci', { name })
const read = async (trail: string, name = 'tests') =>
  (await app.reader.get(`/attestations/acme/ci/trail/${trail}/${name}`)).body
const readStatus = async (trail: string) =>
  (await app.reader.get(`/trails/acme/ci/${trail}`)).body.compliance_status
const readLastEvent = async (trail: string) =>
  (await app.reader.get(`/trails/acme/ci/${trail}`)).body.events.at(-1)

describe('201 for the trail', () => {
  it('fills the slot of the trail and no other', async () => {
    await begin('trail')
    const { status } = await attest('trail', { attestation_name: 'review', git_commit_info: COMMIT })
    expect(status).toBe(201)
    const [attestation] = await read('trail', 'review')
    expect(attestation).toMatchObject({ artifact_fingerprint: null, target_artifacts: [], waiting_for: null })
    expect(await readLastEvent('trail')).toMatchObject({
      type: 'trail_attestation_reported',
      user: 'max',
      attestation_type: 'junit',
      attestation_id: attestation.attestation_id,
      template_reference_name: 'review',
      is_compliant: true,
      is_reattestation: false,
      git_commit_info: COMMIT,
      artifact_fingerprint: null,
      target_artifact: null,
    })
  })

  it('is unexpected if the template does not have its name or type', async () => {
    await begin('unexpected')
    await attest('unexpected', { attestation_name: 'surprise' })
    await attest('unexpected', { attestation_name: 'review' })
    expect((await readStatus('unexpected')).attestations_statuses).toMatchObject([
      { attestation_name: 'review', attestation_type: 'generic', status: 'MISSING', unexpected: false },
      { attestation_name: 'review', attestation_type: 'junit', status: 'COMPLETE', unexpected: true },
      { attestation_name: 'surprise', attestation_type: 'junit', status: 'COMPLETE', unexpected: true },
    ])
  })

  it('counts the latest attestation of a name, and records that it is a repeat', async () => {
    await begin('again')
    await attest('again', { junit_results: makeSuites(1) })
    expect((await readStatus('again')).status).toBe('NON-COMPLIANT')
    await attest('again', { junit_results: makeSuites(0) })
    expect((await readStatus('again')).status).toBe('INCOMPLETE')
    expect(await readLastEvent('again')).toMatchObject({ is_compliant: true, is_reattestation: true })
    expect(await read('again')).toHaveLength(2)
  })
})

describe('201 for an artifact', () => {
  it('fills the slot of the artifact with the fingerprint', async () => {
    await report('fingerprint', 'api', makeFingerprint('a1'))
    await report('fingerprint', 'web', makeFingerprint('a2'))
    expect((await attest('fingerprint', { artifact_fingerprint: makeFingerprint('a2') })).status).toBe(201)
    const { artifacts_statuses } = await readStatus('fingerprint')
    expect(artifacts_statuses.web.attestations_statuses).toMatchObject([{ status: 'COMPLETE' }])
    expect(artifacts_statuses.api.attestations_statuses).toMatchObject([{ status: 'MISSING' }])
    const [attestation] = await read('fingerprint')
    expect(attestation).toMatchObject({ artifact_fingerprint: makeFingerprint('a2'), waiting_for: null })
    expect(await readLastEvent('fingerprint')).toMatchObject({
      type: 'artifact_attestation_reported',
      attestation_id: attestation.attestation_id,
      artifact_fingerprint: makeFingerprint('a2'),
      artifact_name: 'web:1',
      target_artifact: 'web',
      template_reference_name: 'tests',
    })
  })

  it('uses the fingerprint when names are sent as well', async () => {
    await report('both', 'api', makeFingerprint('a3'))
    const body = { artifact_fingerprint: makeFingerprint('a3'), target_artifacts: ['api'] }
    expect((await attest('both', body)).status).toBe(201)
    expect(await readLastEvent('both')).toMatchObject({ type: 'artifact_attestation_reported' })
  })

  it('is recorded with an id by which it is found', async () => {
    await report('found', 'api', makeFingerprint('a4'))
    await attest('found', { artifact_fingerprint: makeFingerprint('a4') })
    const { attestation_id } = await readLastEvent('found')
    const { body } = await app.reader.get(`/attestations/acme?attestation_id=${attestation_id}`)
    expect(body.data).toMatchObject([{ artifact_fingerprint: makeFingerprint('a4') }])
  })
})

describe('201 for artifacts by name', () => {
  const early = { target_artifacts: ['api'], git_commit_info: COMMIT }

  it('waits for the artifact and says for which one', async () => {
    await begin('early')
    expect((await attest('early', early)).status).toBe(201)
    const [attestation] = await read('early')
    const waiting_for = `waiting for artifact api at commit ${SHA}`
    expect(attestation).toMatchObject({ target_artifacts: ['api'], artifact_fingerprint: null, waiting_for })
    const { waiting, attestations_statuses } = await readStatus('early')
    expect(waiting).toEqual([
      { attestation_id: attestation.attestation_id, attestation_name: 'tests', waiting_for },
    ])
    expect(attestations_statuses).toMatchObject([{ attestation_name: 'review', status: 'MISSING' }])
    expect(await readLastEvent('early')).toMatchObject({
      type: 'trail_attestation_for_artifact_reported',
      target_artifact: 'api',
      template_reference_name: 'tests',
      attestation_id: attestation.attestation_id,
      git_commit_info: COMMIT,
    })
    await report('early', 'api', makeFingerprint('b1'))
    expect((await read('early'))[0].waiting_for).toBeNull()
    expect((await readStatus('early')).waiting).toEqual([])
  })

  it('is bound to every existing artifact of the commit, and to no other', async () => {
    await report('late', 'api', makeFingerprint('b2'))
    await report('late', 'web', makeFingerprint('b3'))
    await report('late', 'api', makeFingerprint('b4'), OTHER_SHA)
    await report('late', 'api', makeFingerprint('b5'))
    await attest('late', { ...early, target_artifacts: ['api', 'web'] })
    const slots = await app.sql(
      `select left(a.fingerprint, 2) as start from evidence_slots s join artifacts a using (org_id, artifact_id)
       where a.fingerprint ~ '^b' order by 1`,
    )
    expect(slots.map(({ start }) => start)).toEqual(['b1', 'b2', 'b3', 'b5'])
  })

  it('is for the trail when the list of names is empty', async () => {
    await begin('none')
    expect((await attest('none', { target_artifacts: [] })).status).toBe(201)
    expect(await readLastEvent('none')).toMatchObject({ type: 'trail_attestation_reported' })
  })
})

describe('400', () => {
  it('requires a commit when an artifact is named', async () => {
    await begin('refused')
    const before = await readStoredRows(app)
    const { status, body } = await attest('refused', { target_artifacts: ['api'] })
    expect(status).toBe(400)
    expect(body).toEqual({
      message:
        "Attestation 'tests' for artifacts by name requires at least one of: artifact_fingerprint or git_commit_info.",
    })
    expect(await readStoredRows(app)).toEqual(before)
  })

  it.each([
    ['artifact_fingerprint', { artifact_fingerprint: 'abc' }, "'^[a-f0-9]{64}$' [input: abc]"],
    ['target_artifacts[0]', { target_artifacts: ['a.b'] }, "'^[a-zA-Z0-9\\-_]+$' [input: a.b]"],
    ['attestation_name', { attestation_name: 'a.b' }, "'^[a-zA-Z0-9\\-_,]+$' [input: a.b]"],
  ])('names %s', async (field, change, pattern) => {
    const { status, body } = await attest('refused', change)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [field]: `String should match pattern ${pattern}` })
  })
})

describe('404', () => {
  it.each([
    ['an artifact that does not exist', 'run', makeFingerprint('c1')],
    ['an artifact that is on another trail', 'run', makeFingerprint('c2')],
  ])('names %s, and stores nothing', async (_, trail, artifact_fingerprint) => {
    await begin('run')
    await report('other-run', 'api', makeFingerprint('c2'))
    const before = await readStoredRows(app)
    const { status, body } = await attest(trail, { artifact_fingerprint })
    expect(status).toBe(404)
    expect(body).toEqual({
      message: `Artifact with fingerprint ${artifact_fingerprint} does not exist in trail "run" of flow "ci" belonging to organization "acme"`,
    })
    expect(await readStoredRows(app)).toEqual(before)
  })

  it('leaves the trail as it was', async () => {
    await begin('untouched')
    const before = (await app.reader.get('/trails/acme/ci/untouched')).body
    app.clock.advance(60_000)
    expect((await attest('untouched', { artifact_fingerprint: makeFingerprint('c4') })).status).toBe(404)
    expect((await app.reader.get('/trails/acme/ci/untouched')).body).toEqual(before)
  })

  it.each([
    ['nothing', 'ci', "Trail with name 'nothing' does not exist for Organization 'acme' and Flow 'ci'"],
    ['run', 'nothing', "Flow named 'nothing' does not exist for organization 'acme'"],
  ])('names what does not exist: trail %s, flow %s', async (trail, flow, message) => {
    const before = await readStoredRows(app)
    const { status, body } = await attest(trail, {}, flow)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
    expect(await readStoredRows(app)).toEqual(before)
  })

  it('refuses one request of a batch without affecting the others', async () => {
    await begin('crowd')
    const fingerprints = [undefined, makeFingerprint('c3'), undefined]
    const answers = await Promise.all(
      fingerprints.map((artifact_fingerprint, i) =>
        attest('crowd', { artifact_fingerprint, attestation_name: `n${i}` }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 404, 201])
  })
})
