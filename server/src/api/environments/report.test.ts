// PUT /environments/{org}/{env_name}/report/<type>: the body of each type, and rejected reports.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPodReport, makeEnvironment, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFingerprint } from '../../../test/reports.ts'

const BRANDED_APPS = ['azure', 'apps'].join('-')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const put = (environment: string, type: string, artifacts: unknown, more = {}) =>
  app.snapshotter.put(`/environments/acme/${environment}/report/${type}`, { ...more, artifacts })

const readArtifacts = async (environment: string) =>
  (await app.reader.get(`/snapshots/acme/${environment}/-1`)).body.artifacts

/** Everything that a rejected report could have changed. */
async function readStored(environment: string) {
  return app.sql(
    `select e.latest_index, e.last_reported_at, e.report_sha256,
       (select count(*)::int from running_artifacts r where r.environment_id = e.environment_id) as running,
       (select count(*)::int from events) as events
     from environments e where e.name = $1`,
    [environment],
  )
}

describe('200', () => {
  it('notices another image under the same name in the same pod', async () => {
    await makeEnvironment(app, 'moved')
    const pod = { podName: 'p', namespace: 'n', owners: null, creationTimestamp: 1_772_539_200 }
    for (const start of ['a', 'b'])
      await put('moved', 'K8S', [{ ...pod, digests: { 'app:latest': makeFingerprint(start) } }])
    const { body } = await app.reader.get('/snapshots/acme/moved/-1')
    expect(body.index).toBe(2)
    expect(body.artifacts).toMatchObject([
      { fingerprint: makeFingerprint('a'), annotation: { type: 'exited' } },
      { fingerprint: makeFingerprint('b'), annotation: { type: 'started-unknown' } },
    ])
  })

  it.each([
    ['K8S', { podName: 'p', namespace: 'n', owners: null }, { pods: { p: { namespace: 'n' } } }],
    [
      'ECS',
      { taskArn: 'arn:1', cluster_name: 'c' },
      { container_task_context: { task_arn: 'arn:1', cluster_name: 'c', service_name: null } },
    ],
    ['lambda', {}, { pods: null }],
    ['S3', {}, { pods: null }],
    ['docker', {}, {}],
    ['server', {}, {}],
    [
      'cloudx-apps',
      { app_name: 'web', app_kind: 'app,linux', digests_source: 'logs' },
      { app_context: { app_name: 'web', app_kind: 'app,linux', digests_source: 'logs' } },
    ],
    [
      'cloud-run',
      { kind: 'service', serviceName: 's', revisionName: 'r' },
      { serverless_run_context: { kind: 'service', service_name: 's', revision_name: 'r', job_name: null } },
    ],
  ])('accepts reports for an environment of type %s', async (type, element, context) => {
    const environment = `of-${type}`
    await makeEnvironment(app, environment, { type })
    const done = await put(environment, type, [
      { digests: { 'image:1': makeFingerprint('a') }, creationTimestamp: 1_772_539_200, ...element },
    ])
    expect(done).toMatchObject({ status: 200, body: 'OK' })
    expect(await readArtifacts(environment)).toMatchObject([
      { name: 'image:1', fingerprint: makeFingerprint('a'), creationTimestamp: [1_772_539_200], ...context },
    ])
  })

  it('accepts apps under the path that existing clients call', async () => {
    await makeEnvironment(app, 'apps', { type: 'cloudx-apps' })
    const apps = [{ app_name: 'a', app_kind: 'k', digests_source: 's', digests: {}, creationTimestamp: 0 }]
    expect((await put('apps', BRANDED_APPS, apps)).status).toBe(200)
  })

  it.each([
    ...['K8S', 'ECS', 'lambda', 'S3', 'docker', 'server', 'cloudx-apps', 'cloud-run'].map(type => [
      type,
      type,
    ]),
    ['cloudx-apps', BRANDED_APPS],
  ])('accepts the type of the environment next to the list: %s as %s', async (type, written) => {
    await makeEnvironment(app, `says-${type}`, { type })
    expect((await put(`says-${type}`, type, [], { type: written })).status).toBe(200)
  })

  it('stores several digests of one element and several instances of one digest', async () => {
    await makeEnvironment(app, 'several')
    const pod = (podName: string, creationTimestamp: number) => ({
      podName,
      namespace: 'n',
      digests: { 'one:1': makeFingerprint('a'), 'two:1': makeFingerprint('b') },
      creationTimestamp,
    })
    await put('several', 'K8S', [pod('p', 20), pod('q', 10)])
    expect(await readArtifacts('several')).toMatchObject([
      { name: 'one:1', creationTimestamp: [10, 20], annotation: { type: 'started-unknown', was: 0, now: 2 } },
      { name: 'two:1', creationTimestamp: [10, 20] },
    ])
  })

  it('identifies an unknown digest by its name and does not make a snapshot every time', async () => {
    await makeEnvironment(app, 'unknown', { type: 'ECS' })
    const tasks = [{ taskArn: 'arn:1', digests: { 'image:1': '', 'image:2': '' }, creationTimestamp: 1 }]
    for (let i = 0; i < 3; i++) expect((await put('unknown', 'ECS', tasks)).status).toBe(200)
    expect((await readStored('unknown'))[0]).toMatchObject({ latest_index: 1, running: 2 })
    expect(await readArtifacts('unknown')).toMatchObject([
      { name: 'image:1', fingerprint: '' },
      { name: 'image:2', fingerprint: '' },
    ])
  })

  it('only updates the time of the last report if nothing changed', async () => {
    await makeEnvironment(app, 'still')
    await report(app, 'still', 'a', 'b')
    const before = (await app.reader.get('/environments/acme/still')).body
    app.clock.advance(60_000)
    await report(app, 'still', 'b', 'a')
    const after = (await app.reader.get('/environments/acme/still')).body
    expect(after.last_reported_at).toBe(before.last_reported_at + 60)
    expect({ ...after, last_reported_at: 0 }).toEqual({ ...before, last_reported_at: 0 })
  })

  it('accepts names of built-in object properties', async () => {
    await makeEnvironment(app, 'odd')
    const body = `{"artifacts":[{"podName":"__proto__","namespace":"constructor","creationTimestamp":1,
      "digests":{"toString":"${makeFingerprint('a')}"}}]}`
    const done = await app.snapshotter.call('PUT', '/environments/acme/odd/report/K8S', body, {
      'content-type': 'application/json',
    })
    expect(done.status).toBe(200)
    expect(await readArtifacts('odd')).toMatchObject([{ name: 'toString' }])
  })
})

describe('400, and nothing is stored', () => {
  const element = { podName: 'p', namespace: 'n', digests: { i: makeFingerprint('a') }, creationTimestamp: 1 }
  it.each([
    ['a malformed digest', [{ ...element, digests: { i: 'abc' } }], 'artifacts[0].digests.i'],
    [
      'an empty digest where it is always known',
      [{ ...element, digests: { i: '' } }],
      'artifacts[0].digests.i',
    ],
    ['upper case', [{ ...element, digests: { i: makeFingerprint('A') } }], 'artifacts[0].digests.i'],
    ['an unknown key', [element, { ...element, extra: 1 }], 'artifacts[1].extra'],
    ['a fraction of a second', [{ ...element, creationTimestamp: 1.5 }], 'artifacts[0].creationTimestamp'],
    ['a text for a time', [{ ...element, creationTimestamp: '1' }], 'artifacts[0].creationTimestamp'],
    ['no name of the pod', [{ ...element, podName: undefined }], 'artifacts[0].podName'],
    ['no digests', [{ ...element, digests: null }], 'artifacts[0].digests'],
    ['no list', null, 'artifacts'],
    [
      'the body of another type',
      [{ taskArn: 'x', digests: {}, creationTimestamp: 1 }],
      'artifacts[0].taskArn',
    ],
  ])('refuses %s', async (_what, artifacts, field) => {
    await makeEnvironment(app, 'strict')
    await report(app, 'strict', 'a')
    const before = await readStored('strict')
    const refused = await put('strict', 'K8S', artifacts)
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors)).toContain(field)
    expect(await readStored('strict')).toEqual(before)
  })

  it.each([
    ['K8S', 'k8s'],
    ['K8S', 'ECS'],
    ['K8S', 1],
    ['server', BRANDED_APPS],
    ['cloudx-apps', 'cloud-run'],
  ])('refuses a report of the type %s that says %s', async (type, written) => {
    const environment = `denies-${type}`
    await makeEnvironment(app, environment, { type })
    const before = await readStored(environment)
    const refused = await put(environment, type, [], { type: written })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['type']])
    expect(await readStored(environment)).toEqual(before)
  })

  it('refuses a report of a different type than the environment', async () => {
    await makeEnvironment(app, 'typed')
    for (const type of ['ECS', 'lambda', 'S3', 'docker', 'server', 'cloudx-apps', 'cloud-run']) {
      const refused = await put('typed', type, [])
      expect(refused).toMatchObject({
        status: 400,
        body: { errors: { type: expect.stringContaining('K8S') } },
      })
    }
    expect((await readStored('typed'))[0]).toMatchObject({ latest_index: 0, last_reported_at: null })
  })
})

describe('403', () => {
  it('refuses a reader', async () => {
    await makeEnvironment(app, 'guarded')
    const refused = await app.reader.put('/environments/acme/guarded/report/K8S', buildPodReport('a'))
    expect(refused.status).toBe(403)
  })
})

describe('404', () => {
  it('refuses a missing or archived environment', async () => {
    expect(await put('nowhere', 'K8S', [])).toMatchObject({
      status: 404,
      body: { message: "Environment named 'nowhere' does not exist for organization 'acme'" },
    })
    await makeEnvironment(app, 'gone')
    await app.member.put('/environments/acme/gone/archive')
    expect(await put('gone', 'K8S', [])).toMatchObject({
      status: 404,
      body: { message: "Environment named 'gone' has been archived for organization 'acme'" },
    })
  })
})
