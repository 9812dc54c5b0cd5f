// Stale environments: an environment whose reporter stopped is stale, and is never shown as compliant.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeNotice } from '../src/domain/notification/describe.ts'
import { attach, makeEnvironment, putPolicy, report } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { HOOK, makeNotification, takeMessages } from './notifications.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

const HOUR_MS = 3_600_000
const ANYTHING = '_schema: https://waybill.example/v1\n'

let app: TestApp
let count = 0
let env: string
beforeAll(async () => {
  app = await startTestApp()
  await putPolicy(app, 'anything', ANYTHING)
})
afterAll(() => app.stop())

beforeEach(async () => {
  env = `env-${++count}`
  await makeEnvironment(app, env)
  await attach(app, env, 'anything')
  await report(app, env, 'ab')
  await app.evaluate()
})

const readEnvironment = async (name = env) => (await app.reader.get(`/environments/acme/${name}`)).body
const wait = async (ms: number) => {
  app.clock.advance(ms)
  await app.evaluate()
}
const readEvents = async (kind: string) =>
  (await app.readEvents(kind)).filter(({ data }) => data.environment_name === env)

describe('an environment', () => {
  it('is compliant until three intervals have passed without a report, and stale from then on', async () => {
    expect(await readEnvironment()).toMatchObject({
      state: true,
      is_stale: false,
      expected_report_interval: 3600,
    })
    const reported_at = app.clock.now().getTime() / 1000
    await wait(3 * HOUR_MS - 1)
    expect(await readEnvironment()).toMatchObject({ state: true, is_stale: false, stale_since: null })
    await wait(1)
    expect(await readEnvironment()).toMatchObject({
      state: null,
      is_stale: true,
      stale_since: reported_at + 3 * 3600,
    })
  })

  it('is stale before any evaluation has run', async () => {
    app.clock.advance(3 * HOUR_MS)
    expect(await readEnvironment()).toMatchObject({ state: null, is_stale: true })
  })

  it('that is stale is not compliant in any response', async () => {
    await wait(4 * HOUR_MS)
    const snapshot = (await app.reader.get(`/snapshots/acme/${env}/-1`)).body
    expect(snapshot).toMatchObject({ compliant: false, state: null, is_stale: true })
    const page = (await app.reader.get(`/snapshots/acme/${env}/-1/artifacts`)).body
    expect(page.snapshot).toMatchObject({ compliant: false, state: null, is_stale: true })
    const [latest] = (await app.reader.get(`/snapshots/acme/${env}`)).body
    expect(latest).toMatchObject({ compliant: false, state: null, is_stale: true })
    const compliance = (await app.reader.get(`/environments/acme/${env}/compliance`)).body
    expect(compliance).toMatchObject({ state: null, is_stale: true })
    const { buckets } = (await app.reader.get(`/environments/acme/${env}/timeline?buckets=12`)).body
    const hours = (seconds: string) =>
      buckets.reduce((sum: number, one: Record<string, number>) => sum + (one[seconds] ?? 0), 0) / 3600
    expect([hours('compliant_seconds'), hours('unknown_seconds')]).toEqual([3, 1])
    const listed = async (state: string) =>
      (await app.reader.get(`/environments/acme?name=${env}&state=${state}`)).body.length
    expect(await listed('compliant')).toBe(0)
    expect(await listed('unknown')).toBe(0)
    expect(await listed('stale')).toBe(1)
  })

  it('that is stale is reported as stale when an artifact is asserted for it', async () => {
    await makeFlow(app, `of-${env}`)
    const built = makeBuild(makeFingerprint('e'), nameTrail('run'))
    expect((await app.member.post(`/artifacts/acme/of-${env}`, built)).status).toBe(201)
    const asserted = async () =>
      (await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint('e')}?environment_name=${env}`)).body
    expect(await asserted()).toMatchObject({ environment: env, environment_is_stale: false })
    await wait(3 * HOUR_MS)
    expect(await asserted()).toMatchObject({ environment: env, environment_is_stale: true })
    const by_flow = (await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint('e')}`)).body
    expect(by_flow).not.toHaveProperty('environment_is_stale')
  })

  it('that is stale and was not compliant stays not compliant', async () => {
    await app.member.put('/policies/acme/provenance', {
      policy_yaml: `${ANYTHING}artifacts:\n  provenance:\n    required: true\n`,
    })
    await attach(app, env, 'provenance')
    await wait(3 * HOUR_MS)
    expect(await readEnvironment()).toMatchObject({ state: false, is_stale: true })
    expect((await app.reader.get(`/environments/acme?name=${env}&state=non-compliant`)).body).toHaveLength(1)
  })

  it('that is stale keeps its earlier snapshots unchanged', async () => {
    await report(app, env, 'cd')
    await wait(3 * HOUR_MS)
    const earlier = (await app.reader.get(`/snapshots/acme/${env}/1`)).body
    expect(earlier).toMatchObject({ compliant: true, state: true, is_stale: false })
  })

  it('is no longer stale after an unchanged report', async () => {
    await wait(3 * HOUR_MS)
    await report(app, env, 'ab')
    expect(await readEnvironment()).toMatchObject({ state: true, is_stale: false, latest_snapshot_index: 1 })
    await wait(3 * HOUR_MS)
    expect((await readEnvironment()).is_stale).toBe(true)
  })

  it('never becomes stale while unchanged reports keep arriving', async () => {
    for (let hours = 0; hours < 12; hours += 2) {
      await wait(2 * HOUR_MS)
      await report(app, env, 'ab')
    }
    expect(await readEnvironment()).toMatchObject({ state: true, is_stale: false })
    expect(await readEvents('environment_stale')).toEqual([])
  })

  it('is not expected to report before its first report, nor when no interval is set', async () => {
    await makeEnvironment(app, `${env}-new`)
    await app.member.patch(`/environments/acme/${env}`, { expected_report_interval: null })
    await wait(100 * HOUR_MS)
    expect(await readEnvironment(`${env}-new`)).toMatchObject({ is_stale: false, state: null })
    expect(await readEnvironment()).toMatchObject({
      is_stale: false,
      state: true,
      expected_report_interval: null,
    })
  })

  it('has the interval that is set by PUT or PATCH', async () => {
    const put = await app.snapshotter.put('/environments/acme', {
      name: env,
      type: 'K8S',
      expected_report_interval: 60,
    })
    expect(put.status).toBe(200)
    await wait(3 * 60_000)
    expect((await readEnvironment()).is_stale).toBe(true)
    await app.member.patch(`/environments/acme/${env}`, { expected_report_interval: 7200 })
    expect((await readEnvironment()).is_stale).toBe(false)
    for (const expected_report_interval of [0, 9, -60, 1.5, 'hourly', 400 * 24 * 3600]) {
      const { status, body } = await app.member.patch(`/environments/acme/${env}`, {
        expected_report_interval,
      })
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual(['expected_report_interval'])
    }
    expect((await readEnvironment()).expected_report_interval).toBe(7200)
  })
})

describe('a logical environment', () => {
  it('is stale since its first stale member, and accepts no interval of its own', async () => {
    const logical = `${env}-all`
    await makeEnvironment(app, `${env}-b`)
    await report(app, `${env}-b`, 'ab')
    const included_environments = [env, `${env}-b`]
    const body = { name: logical, type: 'logical', included_environments }
    const refused = await app.member.put('/environments/acme', { ...body, expected_report_interval: 60 })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors)).toEqual(['expected_report_interval'])
    await app.member.put('/environments/acme', body)
    await app.member.patch(`/environments/acme/${env}-b`, { expected_report_interval: null })
    expect(await readEnvironment(logical)).toMatchObject({ is_stale: false, expected_report_interval: null })
    await wait(3 * HOUR_MS)
    expect(await readEnvironment(logical)).toMatchObject({ is_stale: true })
    expect((await readEnvironment(logical)).state).not.toBe(true)
    expect((await app.reader.get(`/snapshots/acme/${logical}/-1`)).body).toMatchObject({
      compliant: false,
      is_stale: true,
    })
  })
})

describe('a subscriber', () => {
  it('is notified once when an environment becomes stale, and once when it reports again', async () => {
    await makeNotification(app, { environments: [env], triggers: ['ON_STALE_ENV'], targets: [HOOK] })
    await wait(3 * HOUR_MS)
    await wait(HOUR_MS)
    await report(app, env, 'ab')
    await report(app, env, 'ab')
    const messages = await takeMessages(app)
    expect(messages.map(({ event_type }) => event_type)).toEqual(['STALE_ENV', 'REPORTING_ENV'])
    const [stale = '', again = ''] = messages.map(({ notice }) => describeNotice(notice))
    expect(stale).toMatch(
      / is STALE: the latest report was on [-0-9: ]+ UTC; a report is expected every hour \(snapshot 1\)$/,
    )
    expect(again).toBe(`Environment ${env} of acme is reporting again (snapshot 1: COMPLIANT)`)
  })

  it('finds both events in the audit log', async () => {
    const last_reported_at = (await readEnvironment()).last_reported_at
    await wait(3 * HOUR_MS)
    await wait(HOUR_MS)
    await report(app, env, 'ab')
    const data = { environment_name: env, last_reported_at, expected_report_interval: 3600 }
    expect(await readEvents('environment_stale')).toEqual([
      { kind: 'environment_stale', actor: 'waybill', data },
    ])
    expect(await readEvents('environment_reporting_again')).toMatchObject([{ actor: 'sam' }])
  })

  it('is not notified about an archived environment', async () => {
    await app.member.put(`/environments/acme/${env}/archive`)
    await wait(3 * HOUR_MS)
    expect(await readEvents('environment_stale')).toEqual([])
  })
})
