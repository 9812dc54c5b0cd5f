// The artifact that a deployment replaced and its time from commit to start, in the snapshot and in the trail's
// events.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeEnvironment, readLatestSnapshot } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

let app: TestApp
let environments = 0
let env: string
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
})

describe('deployments', () => {
  const findDeployed = async (start: string) => {
    const { artifacts } = await readLatestSnapshot(app, env)
    return artifacts.find(
      ({ fingerprint }: { fingerprint: string }) => fingerprint === makeFingerprint(start),
    )
  }
  const commit = (digit: string) => digit.repeat(40)
  const reportBuild = (start: string, digit: string, more = {}) =>
    app.member.post('/artifacts/acme/build', {
      ...makeBuild(makeFingerprint(start), { ...nameTrail(`trail-${start}`, `slot-${environments}`) }),
      filename: 'registry.example.com/app:1',
      git_commit: commit(digit),
      commit_url: `https://git.example.com/owner/app/commit/${commit(digit)}`,
      git_commit_info: { sha1: commit(digit), timestamp: 1_772_539_100 },
      ...more,
    })
  const run = (...starts: string[]) =>
    app.snapshotter.put(`/environments/acme/${env}/report/K8S`, {
      artifacts: starts.map(start => ({
        podName: `pod-${start}`,
        namespace: 'n',
        digests: { 'registry.example.com/app:1': makeFingerprint(start) },
        creationTimestamp: 1_772_539_200,
        owners: [],
      })),
    })

  it('show what they replaced and how long it took', async () => {
    await reportBuild(a(), '1')
    await reportBuild(b(), '2')
    await run(a())
    expect((await findDeployed(a())).deployment_diff).toBeNull()
    expect((await findDeployed(a())).commit_lead_time).toBe(100)
    await run(a(), b())
    expect((await findDeployed(b())).deployment_diff).toEqual({
      diff_url: `https://git.example.com/owner/app/compare/${commit('1')}...${commit('2')}`,
      previous_git_commit: commit('1'),
      previous_git_commit_url: `https://git.example.com/owner/app/commit/${commit('1')}`,
      previous_fingerprint: makeFingerprint(a()),
      previous_artifact_name: 'registry.example.com/app:1',
      previous_artifact_compliance_state: 'COMPLIANT',
      previous_running: true,
      previous_trail_name: `trail-${a()}`,
      previous_template_reference_name: `slot-${environments}`,
    })
    await run(b())
    expect((await findDeployed(b())).deployment_diff.previous_running).toBe(false)
  })

  it('do not offer to compare a commit with itself', async () => {
    await reportBuild(a(), '1')
    await reportBuild(b(), '1')
    await run(a())
    await run(b())
    expect((await findDeployed(b())).deployment_diff).toMatchObject({
      diff_url: null,
      previous_fingerprint: makeFingerprint(a()),
    })
  })

  it('are events of the trail', async () => {
    await reportBuild(a(), '1')
    await run(a())
    await run()
    const { events } = (await app.reader.get(`/trails/acme/build/trail-${a()}`)).body
    expect(events.slice(-2)).toMatchObject([
      { type: 'artifact_started_running', environment_name: env, snapshot_index: 1, replica_number: 1 },
      { type: 'artifact_stopped_running', environment_name: env, snapshot_index: 2 },
    ])
  })

  it('do not replace each other when two images share a template name and both run', async () => {
    await reportBuild(a(), '1')
    await reportBuild(b(), '2')
    const pod = (start: string, image: string) => ({
      podName: `pod-${start}`,
      namespace: 'n',
      digests: { [image]: makeFingerprint(start) },
      creationTimestamp: 1_772_539_200,
    })
    const put = (...artifacts: unknown[]) =>
      app.snapshotter.put(`/environments/acme/${env}/report/K8S`, { artifacts })
    await put(pod(a(), 'one:1'))
    await put(pod(a(), 'one:1'), pod(b(), 'two:1'))
    expect((await findDeployed(b())).deployment_diff).toBeNull()
  })

  it('do not compare commits of different repositories', async () => {
    await reportBuild(a(), '1')
    await reportBuild(b(), '2', { commit_url: `https://git.example.com/owner/moved/commit/${commit('2')}` })
    await run(a())
    await run(b())
    expect((await findDeployed(b())).deployment_diff).toMatchObject({
      diff_url: null,
      previous_fingerprint: makeFingerprint(a()),
    })
  })
})
