// Multi-platform images have several digests: provenance under any of them counts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findEnvironmentProblems } from '../src/admin/check-environments.ts'
import { makeOwnerDb } from '../src/db/owner.ts'
import {
  attach,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
} from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

let app: TestApp
let count = 0
let env: string
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await putPolicy(app, 'provenance', buildPolicyRequiring())
  await putPolicy(app, 'tested', buildPolicyRequiring('unit'))
})
afterAll(() => app.stop())

beforeEach(async () => {
  env = `env-${++count}`
  await makeEnvironment(app, env)
  await attach(app, env, 'provenance')
})

/** Fingerprints that no other test uses. */
const makeStart = (letter: string) => `${letter}${String(count).padStart(3, '0')}`
const makePod = (start: string, ...alternates: string[]) =>
  buildPodReport(start).artifacts.map(element => ({
    ...element,
    alternate_digests: alternates.map(makeFingerprint),
  }))
const put = async (...artifacts: unknown[]) => {
  const answered = await app.snapshotter.put(`/environments/acme/${env}/report/K8S`, { artifacts })
  await app.evaluate()
  return answered
}
const build = async (start: string, flow = 'ci') => {
  const report = makeBuild(makeFingerprint(start), nameTrail(start))
  expect((await app.member.post(`/artifacts/acme/${flow}`, report)).status).toBe(201)
  await app.evaluate()
}
const readState = async () => (await app.reader.get(`/environments/acme/${env}`)).body.state
const readArtifact = async () => (await readLatestSnapshot(app, env)).artifacts[0]

describe('alternate digests', () => {
  it('are shown with the artifact, each once', async () => {
    await put(...makePod('aa', 'a3', 'a2'), ...makePod('aa', 'a2'))
    expect((await readArtifact()).alternate_digests).toEqual(['a2', 'a3'].map(makeFingerprint))
    await put(...buildPodReport('bb').artifacts)
    const artifacts = (await readLatestSnapshot(app, env)).artifacts
    expect(artifacts.at(-1)).toMatchObject({ fingerprint: makeFingerprint('bb'), alternate_digests: [] })
  })

  it('give an artifact the provenance of any one of them', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await build(index)
    await put(...makePod(platform, index))
    expect(await readState()).toBe(true)
    const { fingerprint, flows } = await readArtifact()
    expect(fingerprint).toBe(makeFingerprint(platform))
    expect(flows).toMatchObject([{ flow_name: 'ci', trail_name: index }])
    expect(flows[0].html_url).toContain(`/artifacts/${makeFingerprint(index)}`)
  })

  it('are found by evidence that arrives later', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await attach(app, env, 'tested')
    await put(...makePod(platform, index))
    expect(await readState()).toBe(false)
    await build(index)
    expect(await readState()).toBe(false)
    const unit = {
      attestation_name: 'unit',
      is_compliant: true,
      artifact_fingerprint: makeFingerprint(index),
    }
    expect((await app.member.post(`/attestations/acme/ci/trail/${index}/generic`, unit)).status).toBe(201)
    await app.evaluate()
    expect(await readState()).toBe(true)
  })

  it('count when a later report adds them', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await build(index)
    await put(...makePod(platform))
    expect(await readState()).toBe(false)
    await put(...makePod(platform, index))
    expect(await readState()).toBe(true)
  })

  it('do not count if the reported digest is known itself', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await makeFlow(app, `other-${count}`)
    await build(index)
    await build(platform, `other-${count}`)
    await put(...makePod(platform, index))
    expect((await readArtifact()).flows).toMatchObject([{ flow_name: `other-${count}` }])
  })

  it('follow the name of the flow that knows them', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await makeFlow(app, `named-${count}`)
    await build(index, `named-${count}`)
    await put(...makePod(platform, index))
    await app.member.put(`/flows/acme/named-${count}/rename`, { new_name: `renamed-${count}` })
    await app.evaluate()
    const rows = await app.sql(
      `select evaluation -> 'flows' -> 0 ->> 'flow_name' as flow_name from running_artifacts where fingerprint = $1`,
      [makeFingerprint(platform)],
    )
    expect(rows).toEqual([{ flow_name: `renamed-${count}` }])
  })

  it('are forgotten when the artifact stops', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await put(...makePod(platform, index))
    await put()
    const rows = await app.sql('select from running_alternates where fingerprint = $1', [
      makeFingerprint(index),
    ])
    expect(rows).toEqual([])
  })

  it('count when a policy is tried, and when verdicts are checked', async () => {
    const [index, platform] = [makeStart('a'), makeStart('b')]
    await build(index)
    await put(...makePod(platform, index))
    const policy_yaml = buildPolicyRequiring()
    const tried = await app.member.post('/policies/acme/try', { policy_yaml, environments: [env] })
    expect(tried.body.targets).toMatchObject([{ compliant_before: true, compliant_after: true }])
    const problems = await findEnvironmentProblems(makeOwnerDb(app.owner))
    expect(Object.values(problems).flat()).toEqual([])
  })
})

describe('400', () => {
  it('refuses them if their artifact is ambiguous, if there are many, or if they are not fingerprints', async () => {
    const [element] = makePod('aa', 'a2')
    const digests = { one: makeFingerprint('aa'), two: makeFingerprint('bb') }
    const many = Array.from({ length: 9 }, (_, i) => makeFingerprint(`a${i}`))
    for (const [artifact, field] of [
      [{ ...element, digests }, 'artifacts[0].alternate_digests'],
      [{ ...element, alternate_digests: many }, 'artifacts[0].alternate_digests'],
      [{ ...element, alternate_digests: ['sha256:ab'] }, 'artifacts[0].alternate_digests[0]'],
    ] as const) {
      const { status, body } = await put(artifact)
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual([field])
    }
  })
})
