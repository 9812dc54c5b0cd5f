// Reports that state when they were observed: an old one never becomes the current state.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LARGE_REPORT_BYTES } from '../src/api/large-reports.ts'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { attach, buildPodReport, makeEnvironment, putPolicy, report } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeFingerprint } from './reports.ts'

const HOUR_MS = 3_600_000

let app: TestApp
let count = 0
let env: string
beforeAll(async () => {
  app = await startTestApp()
  await putPolicy(app, 'anything', '_schema: https://waybill.example/v1\n')
})
afterAll(() => app.stop())

beforeEach(async () => {
  env = `env-${++count}`
  await makeEnvironment(app, env)
  await attach(app, env, 'anything')
})

const getSeconds = () => app.clock.now().getTime() / 1000
const send = (start: string, more: Record<string, unknown>) =>
  app.snapshotter.put(`/environments/acme/${env}/report/K8S`, { ...buildPodReport(start), ...more })
const readEnvironment = async () => (await app.reader.get(`/environments/acme/${env}`)).body
const readRunning = async () =>
  (await app.reader.get(`/snapshots/acme/${env}/-1`)).body.artifacts
    .filter(({ annotation }: { annotation: { type: string } }) => annotation.type !== 'exited')
    .map(({ fingerprint }: { fingerprint: string }) => fingerprint)
const readLateEvents = async () =>
  (await app.readEvents('environment_late_report')).filter(({ data }) => data.environment_name === env)
/** Everything that a late report must not change. */
const readState = async () => [
  await readEnvironment(),
  await readRunning(),
  await app.readEvents('snapshot_taken'),
]

describe('a report that was observed before the newest one', () => {
  it('is stored and changes nothing, and the response reports it as late', async () => {
    const first_at = getSeconds()
    await send('aa', { observed_at: first_at })
    app.clock.advance(HOUR_MS)
    const newest_at = getSeconds()
    await send('bb', { observed_at: newest_at })
    const before = await readState()
    app.clock.advance(1000)
    const reporter = { name: 'waybill watch', version: '1.0.0', scope: 'all namespaces' }
    const late = await send('aa', { observed_at: first_at + 60, reporter })
    expect(late.status).toBe(200)
    expect(late.body).toEqual({ late: true, observed_at: first_at + 60, newest_at })
    expect(await readState()).toEqual(before)
    expect(await readLateEvents()).toEqual([
      {
        kind: 'environment_late_report',
        actor: 'sam',
        data: {
          environment_name: env,
          late_report_id: expect.any(String),
          observed_at: first_at + 60,
          newest_at,
          report_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          artifact_count: 1,
          reporter,
        },
      },
    ])
    const [stored] = await app.sql('select content from late_reports order by late_report_id desc limit 1')
    expect(stored?.content).toMatchObject({
      reporter,
      missing: null,
      artifacts: [{ fingerprint: makeFingerprint('aa'), instance_count: 1 }],
    })
  })

  it('is late even if it has the same content as the newest one', async () => {
    const first_at = getSeconds()
    await send('aa', { observed_at: first_at })
    app.clock.advance(60_000)
    const before = await readState()
    expect((await send('aa', { observed_at: first_at - 1 })).body).toMatchObject({ late: true })
    expect(await readState()).toEqual(before)
  })

  it('is stored once, however often it is sent', async () => {
    await send('aa', { observed_at: getSeconds() })
    const observed_at = getSeconds() - 60
    for (let i = 0; i < 3; i++) expect((await send('cc', { observed_at })).body).toMatchObject({ late: true })
    expect(await readLateEvents()).toHaveLength(1)
  })

  it('is compared with the arrival of a newest report without a time', async () => {
    await report(app, env, 'aa')
    expect((await send('bb', { observed_at: getSeconds() - 1 })).body).toMatchObject({ late: true })
    app.clock.advance(1000)
    expect((await send('bb', { observed_at: getSeconds() })).body).toBe('OK')
    expect(await readRunning()).toEqual([makeFingerprint('bb')])
  })

  it('does not make a stale environment fresh', async () => {
    await send('aa', { observed_at: getSeconds() })
    const observed_at = getSeconds() - 60
    app.clock.advance(3 * HOUR_MS)
    await app.evaluate()
    const before = await readEnvironment()
    expect(before).toMatchObject({ is_stale: true, state: null })
    expect((await send('aa', { observed_at })).body).toMatchObject({ late: true })
    expect(await readEnvironment()).toEqual(before)
    expect(await app.readEvents('environment_reporting_again')).toEqual([])
  })

  it('is recognized by the thread for large reports too', async () => {
    await send('aa', { observed_at: getSeconds() })
    const observed_at = getSeconds() - 60
    const pods = Array.from({ length: 1500 }, (_, i) => `pod-${i}-${'x'.repeat(100)}`)
    const large = { ...buildPodReport({ start: 'dd', pods }), observed_at }
    expect(JSON.stringify(large).length).toBeGreaterThan(LARGE_REPORT_BYTES)
    const { body } = await app.snapshotter.put(`/environments/acme/${env}/report/K8S`, large)
    expect(body).toMatchObject({ late: true, observed_at })
    expect(await readRunning()).toEqual([makeFingerprint('aa')])
  })

  it('is covered by the log', async () => {
    const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
    await send('aa', { observed_at: getSeconds() })
    await send('c7', { observed_at: getSeconds() - 60 })
    expect(await findProblems()).toEqual([])
    const replace = (from: string, to: string) =>
      app.sql(
        'update late_reports set content = replace(content::text, $1, $2)::json where report_sha256 = $3',
        [from, to, String(sha256)],
      )
    const [{ data: { report_sha256: sha256 } = {} } = {}] = await readLateEvents()
    await replace('"c7', '"c8')
    expect(await findProblems()).toEqual([expect.stringContaining('environment_late_report')])
    await replace('"c8', '"c7')
    expect(await findProblems()).toEqual([])
  })
})

describe('a report that is the newest', () => {
  it('counts from its observation, so old news does not end staleness', async () => {
    await send('aa', { observed_at: getSeconds() })
    const seen_at = getSeconds() + 600
    app.clock.advance(24 * HOUR_MS)
    await app.evaluate()
    expect((await send('bb', { observed_at: seen_at })).body).toBe('OK')
    expect(await readRunning()).toEqual([makeFingerprint('bb')])
    expect(await readEnvironment()).toMatchObject({
      is_stale: true,
      state: null,
      last_reported_at: seen_at,
      observed_at: seen_at,
    })
    expect(await app.readEvents('environment_reporting_again')).toEqual([])
    app.clock.advance(1000)
    await send('bb', { observed_at: getSeconds() })
    expect(await readEnvironment()).toMatchObject({ is_stale: false, state: true })
    expect(await app.readEvents('environment_reporting_again')).toHaveLength(1)
  })

  it('without changes confirms the environment, as a heartbeat', async () => {
    await send('aa', { observed_at: getSeconds() })
    for (let hours = 0; hours < 8; hours += 2) {
      app.clock.advance(2 * HOUR_MS)
      expect((await send('aa', { observed_at: getSeconds() })).body).toBe('OK')
      await app.evaluate()
    }
    expect(await readEnvironment()).toMatchObject({
      is_stale: false,
      state: true,
      latest_snapshot_index: 1,
      last_reported_at: getSeconds(),
    })
  })

  it('from a clock that is ahead counts from its arrival, so the next one is not late', async () => {
    const now = getSeconds()
    expect((await send('aa', { observed_at: now + 240 })).body).toBe('OK')
    expect(await readEnvironment()).toMatchObject({ last_reported_at: now, observed_at: now + 240 })
    app.clock.advance(1000)
    expect((await send('bb', { observed_at: getSeconds() })).body).toBe('OK')
    expect(await readRunning()).toEqual([makeFingerprint('bb')])
  })

  it('has its time in the snapshot and in its event, which the log compares', async () => {
    const observed_at = getSeconds() - 30
    await send('aa', { observed_at, reporter: { name: 'r' } })
    expect(await readEnvironment()).toMatchObject({ reporter: { name: 'r' } })
    const snapshot = (await app.reader.get(`/snapshots/acme/${env}/-1`)).body
    expect(snapshot).toMatchObject({ observed_at, is_partial: false, timestamp: getSeconds() })
    expect((await app.reader.get(`/snapshots/acme/${env}`)).body).toMatchObject([{ observed_at }])
    expect((await app.readEvents('snapshot_taken')).at(-1)?.data).toMatchObject({
      observed_at,
      reporter: { name: 'r' },
    })
    await app.sql('update snapshots set observed_at = null where observed_at = to_timestamp($1)', [
      observed_at,
    ])
    expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([expect.stringContaining('snapshot_taken')])
  })
})

describe('400', () => {
  it.each([
    ['a time that cannot be right', { observed_at: 0 }, 'observed_at'],
    ['a time far ahead', { observed_at: 4e9 }, 'observed_at'],
    ['a reporter without a name', { reporter: { version: '1' } }, 'reporter.name'],
    ['a reporter with a long name', { reporter: { name: 'x'.repeat(201) } }, 'reporter.name'],
  ])('refuses %s', async (_, more, field) => {
    const { status, body } = await send('aa', more)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
    expect((await readEnvironment()).latest_snapshot_index).toBe(0)
  })
})
