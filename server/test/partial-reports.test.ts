// Reports from a reporter that could not see everything: they end nothing, and the environment is never compliant.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import {
  attach,
  buildPodReport,
  makeEnvironment,
  type Pod,
  putPolicy,
  readLatestSnapshot,
} from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow } from './reports.ts'

const ANYTHING = '_schema: https://waybill.example/v1\n'

let app: TestApp
let count = 0
let env: string
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await putPolicy(app, 'anything', ANYTHING)
  await putPolicy(app, 'provenance', `${ANYTHING}artifacts:\n  provenance:\n    required: true\n`)
})
afterAll(() => app.stop())

beforeEach(async () => {
  env = `env-${++count}`
  await makeEnvironment(app, env)
  await attach(app, env, 'anything')
})

const PARTIAL = { is_partial: true, missing: ['namespace payments'] }
const send = async (running: (string | Pod)[], more: Record<string, unknown> = {}) => {
  const body = { ...buildPodReport(...running), ...more }
  const answered = await app.snapshotter.put(`/environments/acme/${env}/report/K8S`, body)
  await app.evaluate()
  return answered
}
const readEnvironment = async (name = env) => (await app.reader.get(`/environments/acme/${name}`)).body
const readCompliance = async (name = env) =>
  (await app.reader.get(`/environments/acme/${name}/compliance`)).body
const listRunning = async () => {
  const { artifacts } = await readLatestSnapshot(app, env)
  const running = artifacts.filter(
    ({ annotation }: { annotation: { type: string } }) => annotation.type !== 'exited',
  )
  return running.map(({ fingerprint }: { fingerprint: string }) => fingerprint.slice(0, 2)).sort()
}

describe('a partial report', () => {
  it('ends nothing that it did not see, and starts artifacts that it sees', async () => {
    await send(['aa', 'bb'])
    expect((await send(['bb', 'cc'], PARTIAL)).body).toBe('OK')
    expect(await listRunning()).toEqual(['aa', 'bb', 'cc'])
    await send(['bb', 'cc'])
    expect(await listRunning()).toEqual(['bb', 'cc'])
  })

  it('keeps the instances that it did not see', async () => {
    await send([{ start: 'aa', pods: ['one', 'two'] }])
    await send([{ start: 'aa', pods: ['two'] }, 'bb'], PARTIAL)
    const { artifacts } = await readLatestSnapshot(app, env)
    expect(artifacts[0].creationTimestamp).toHaveLength(2)
    await send([{ start: 'aa', pods: ['two'] }, 'bb', 'cc'])
    expect((await readLatestSnapshot(app, env)).artifacts[0].creationTimestamp).toHaveLength(1)
  })

  it('makes the environment unknown until a complete one, with a snapshot for each', async () => {
    await send(['aa'])
    expect(await readEnvironment()).toMatchObject({
      state: true,
      is_partial: false,
      partial_since: null,
      missing: [],
    })
    app.clock.advance(1000)
    const since = app.clock.now().getTime() / 1000
    await send(['aa'], PARTIAL)
    const partial = {
      state: null,
      unknown_because: 'partial',
      is_partial: true,
      partial_since: since,
      missing: PARTIAL.missing,
    }
    expect(await readEnvironment()).toMatchObject({ ...partial, latest_snapshot_index: 2, is_stale: false })
    expect(await readCompliance()).toMatchObject(partial)
    expect(await readLatestSnapshot(app, env)).toMatchObject({
      compliant: false,
      state: null,
      unknown_because: 'partial',
      is_partial: true,
    })
    expect((await app.reader.get(`/environments/acme?name=${env}&state=unknown`)).body).toHaveLength(1)
    expect((await app.reader.get(`/environments/acme?name=${env}&state=compliant`)).body).toHaveLength(0)
    app.clock.advance(1000)
    await send(['aa'], { ...PARTIAL, missing: ['namespace web', 'namespace payments', 'namespace web'] })
    expect(await readEnvironment()).toMatchObject({
      ...partial,
      missing: ['namespace payments', 'namespace web'],
      latest_snapshot_index: 2,
    })
    await send(['aa'])
    expect(await readEnvironment()).toMatchObject({
      state: true,
      is_partial: false,
      partial_since: null,
      missing: [],
      latest_snapshot_index: 3,
    })
    const history = (await app.reader.get(`/snapshots/acme/${env}`)).body
    expect(history.map((each: Record<string, unknown>) => [each.state, each.is_partial])).toEqual([
      [true, false],
      [null, true],
      [true, false],
    ])
  })

  it('confirms the environment when it is repeated', async () => {
    await send(['aa'], PARTIAL)
    app.clock.advance(60_000)
    await send(['aa'], PARTIAL)
    expect(await readEnvironment()).toMatchObject({
      latest_snapshot_index: 1,
      last_reported_at: app.clock.now().getTime() / 1000,
      is_partial: true,
    })
  })

  it('keeps a violation that it sees', async () => {
    await attach(app, env, 'provenance')
    await send(['ee'], PARTIAL)
    expect(await readEnvironment()).toMatchObject({ state: false, is_partial: true })
    expect(await readCompliance()).toMatchObject({ state: false })
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('ee')))
    await app.evaluate()
    expect(await readEnvironment()).toMatchObject({ state: null, is_partial: true })
    await send(['ee'])
    expect(await readEnvironment()).toMatchObject({ state: true })
  })

  it('makes logical environments with this member unknown, and they name it', async () => {
    const logical = `${env}-all`
    await makeEnvironment(app, logical, { type: 'logical', included_environments: [env] })
    await send(['aa'])
    expect(await readEnvironment(logical)).toMatchObject({ state: true, is_partial: false, missing: [] })
    await send(['aa'], PARTIAL)
    const partial = { state: null, is_partial: true, missing: [env] }
    expect(await readEnvironment(logical)).toMatchObject(partial)
    expect(await readCompliance(logical)).toMatchObject(partial)
    expect(await readLatestSnapshot(app, logical)).toMatchObject({ state: null, is_partial: true })
    await send(['aa'])
    expect(await readEnvironment(logical)).toMatchObject({ state: true, is_partial: false, missing: [] })
  })

  it('is named when an artifact is asserted for the environment', async () => {
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('f1')))
    const path = `/asserts/acme/fingerprint/${makeFingerprint('f1')}?environment_name=${env}`
    expect((await app.reader.get(path)).body).toMatchObject({ environment_is_partial: false })
    await send(['aa'], PARTIAL)
    expect((await app.reader.get(path)).body).toMatchObject({ environment_is_partial: true })
  })

  it('is recorded in the event of its snapshot, which the log compares', async () => {
    await send(['aa'], PARTIAL)
    const taken = (await app.readEvents('snapshot_taken')).at(-1)
    expect(taken?.data).toMatchObject({ ...PARTIAL, compliant: null })
    const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
    expect(await findProblems()).toEqual([])
    await app.sql('update snapshots set is_partial = null where is_partial')
    expect((await findProblems()).length).toBeGreaterThan(0)
    await app.sql("update snapshots set is_partial = true where compliant is null and cause = 'report'")
  })
})

describe('400', () => {
  it.each([
    ['what is missing from a complete report', { missing: ['x'] }, 'missing'],
    ['an empty name of what is missing', { is_partial: true, missing: [''] }, 'missing[0]'],
    ['a word instead of a boolean', { is_partial: 'yes' }, 'is_partial'],
  ])('refuses %s', async (_, more, field) => {
    const { status, body } = await send(['aa'], more)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})
