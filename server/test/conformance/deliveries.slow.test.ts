// Section 3 and the decisions about messages: what a receiver gets, when a delivery is retried, and what the API
// shows.

import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { until } from '../patience.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from '../reports.ts'

const HOUR_MS = 3_600_000
const NOTIFICATIONS = '/organizations/acme/environments_notifications'
const DECIDED_SCHEDULE_S = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]
/** As a fraction of the wait, in either direction. */
const MAX_DEVIATION = 0.2

let sink: HttpsSink
/** Has the default retry schedule. */
let app: TestApp
let configured: TestApp
let made = 0
beforeAll(async () => {
  sink = await startHttpsSink()
  const start = (settings = {}) =>
    startTestApp({
      trusted_ca: sink.ca_pem,
      settings: { WAYBILL_ROLE: 'all', WAYBILL_EGRESS_ALLOW: '127.0.0.0/8', ...settings },
    })
  app = await start()
  configured = await start({ WAYBILL_RETRY_SCHEDULE: '0,60,600' })
  await makeFlow(app, 'build')
  await putPolicy(app, 'strict', buildPolicyRequiring('unit', 'scan'))
})
afterEach(() => {
  sink.answer = () => ({ status: 200 })
})
afterAll(async () => {
  await Promise.all([app.stop(), configured.stop()])
  await sink.stop()
})

interface Target {
  last_success_at: number | null
  last_failure_at: number | null
}
interface Delivery {
  id: string
  status: string
  attempts: number
  next_attempt_at: number | null
  error: string | null
}

/** Adds an environment with a notification to this many webhooks; returns helpers that read both. */
async function addNotifiedEnvironment(where: TestApp, trigger = 'ON_STARTED_ARTIFACT', webhooks = 1) {
  const environment = `env-${++made}`
  const paths = Array.from({ length: webhooks }, (_, i) => `/${environment}/${i}`)
  await makeEnvironment(where, environment)
  const wanted = {
    name: environment,
    environments: [environment],
    triggers: [trigger],
    targets: paths.map(path => ({ type: 'WEBHOOK', webhook: sink.url + path })),
  }
  const { number } = (await where.admin.put(NOTIFICATIONS, wanted)).body
  const deliveries = async (): Promise<Delivery[]> =>
    (await where.admin.get(`/notification-deliveries/acme?number=${number}&per_page=100`)).body.deliveries
  return {
    environment,
    deliveries,
    /** Waits until this many attempts at the latest message are recorded. */
    waitForAttempts: (attempts: number) =>
      until(async () => {
        const [latest] = await deliveries()
        const { body } = await where.admin.get(`/notification-deliveries/acme/${latest?.id}`)
        return body.attempt_log?.length === attempts
      }),
    readTarget: async (): Promise<Target> =>
      (await where.admin.get(`${NOTIFICATIONS}/${number}`)).body.targets[0],
    listRequests: () => sink.requests.filter(({ path }) => paths.includes(path)),
  }
}

const readSeconds = (where: TestApp) => where.clock.now().getTime() / 1000

async function expectSchedule(where: TestApp, schedule_s: readonly number[]): Promise<void> {
  sink.answer = () => ({ status: 500 })
  const { environment, deliveries, waitForAttempts, listRequests } = await addNotifiedEnvironment(where)
  await report(where, environment, 'a1')
  for (const [attempts, wait_s] of schedule_s.entries()) {
    if (attempts === 0) continue
    await waitForAttempts(attempts)
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({ status: 'pending', attempts })
    const waits_s = Number(delivery?.next_attempt_at) - readSeconds(where)
    expect([
      wait_s,
      waits_s / wait_s > 0.999 - MAX_DEVIATION,
      waits_s / wait_s < 1.001 + MAX_DEVIATION,
    ]).toEqual([wait_s, true, true])
    where.clock.advance(Math.ceil(waits_s * 1000) - 1000)
    expect(listRequests()).toHaveLength(attempts)
    where.clock.advance(1001)
  }
  await waitForAttempts(schedule_s.length)
  expect(await deliveries()).toMatchObject([
    { status: 'failed', attempts: schedule_s.length, next_attempt_at: null },
  ])
  expect(listRequests()).toHaveLength(schedule_s.length)
}

describe('a message that is not accepted', () => {
  it.each<[string, () => TestApp, readonly number[]]>([
    ['0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h by default', () => app, DECIDED_SCHEDULE_S],
    ['the delays of the setting', () => configured, [0, 60, 600]],
  ])('is attempted after %s, and then given up', (_schedule, where, schedule_s) =>
    expectSchedule(where(), schedule_s),
  )

  it('is retried a little earlier or later, at random for each message', async () => {
    sink.answer = () => ({ status: 500 })
    const { environment, deliveries } = await addNotifiedEnvironment(configured, 'ON_STARTED_ARTIFACT', 20)
    await report(configured, environment, 'a2')
    await until(async () => (await deliveries()).every(({ error }) => error !== null))
    const ratios = (await deliveries()).map(
      ({ next_attempt_at }) => (Number(next_attempt_at) - readSeconds(configured)) / 60,
    )
    expect(ratios).toHaveLength(20)
    expect(ratios.filter(ratio => Math.abs(ratio - 1) > MAX_DEVIATION + 0.001)).toEqual([])
    expect(new Set(ratios).size).toBeGreaterThan(10)
  })
})

describe('a target', () => {
  it('has the times of its last success and its last failure', async () => {
    const { environment, readTarget, waitForAttempts } = await addNotifiedEnvironment(app)
    expect(await readTarget()).toMatchObject({ last_success_at: null, last_failure_at: null })
    const succeeded_at = readSeconds(app)
    await report(app, environment, 'b1')
    await waitForAttempts(1)
    expect(await readTarget()).toMatchObject({ last_success_at: succeeded_at, last_failure_at: null })
    app.clock.advance(HOUR_MS)
    sink.answer = () => ({ status: 410 })
    await report(app, environment, 'b2')
    await waitForAttempts(1)
    expect(await readTarget()).toMatchObject({
      last_success_at: succeeded_at,
      last_failure_at: succeeded_at + 3600,
    })
  })

  it('has times that never go backwards, whatever the clock of a server says', async () => {
    const { environment, readTarget, waitForAttempts } = await addNotifiedEnvironment(app)
    const happens = async (start: string, status: number) => {
      sink.answer = () => ({ status })
      await report(app, environment, start)
      await waitForAttempts(1)
      return readSeconds(app)
    }
    const last_success_at = await happens('c1', 200)
    app.clock.advance(1000)
    const last_failure_at = await happens('c2', 500)
    app.clock.advance(-HOUR_MS)
    await happens('c3', 200)
    await happens('c4', 500)
    app.clock.advance(HOUR_MS)
    expect(await readTarget()).toMatchObject({ last_success_at, last_failure_at })
  })
})

describe('a webhook', () => {
  /** The paths of values that are neither strings nor null, nor objects or lists of them. */
  const findOtherScalars = (value: unknown, path = '$'): string[] => {
    if (value === null || typeof value === 'string') return []
    if (typeof value !== 'object') return [path]
    return Object.entries(value).flatMap(([name, item]) => findOtherScalars(item, `${path}.${name}`))
  }

  it('gets the documented keys in their order, and every scalar as text', async () => {
    const { environment, listRequests, waitForAttempts } = await addNotifiedEnvironment(app)
    await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('d1'), nameTrail('trail-d1')))
    await report(app, environment, 'd1')
    await waitForAttempts(1)
    const body = JSON.parse(listRequests()[0]?.body ?? '')
    expect(Object.keys(body).slice(0, 8)).toEqual([
      ...['version', 'timestamp', 'org', 'environment', 'event_type', 'description', 'snapshot', 'artifact'],
    ])
    expect(Object.keys(body.snapshot)).toEqual(['index', 'status', 'html_url', 'api_url'])
    expect(Object.keys(body.artifact)).toEqual(['name', 'fingerprint', 'provenance'])
    expect(Object.keys(body.artifact.provenance)).toEqual([
      ...['flow', 'status', 'commit', 'commit_url', 'html_url', 'api_url', 'build_url'],
    ])
    expect(findOtherScalars(body)).toEqual([])
    expect(body).toMatchObject({
      version: '1.0',
      timestamp: String(Math.floor(readSeconds(app))),
      org: 'acme',
      environment,
      event_type: 'STARTED_ARTIFACT',
      snapshot: { index: '1', status: 'unknown' },
      artifact: {
        name: buildImageName('d1'),
        fingerprint: makeFingerprint('d1'),
        provenance: { flow: 'build', commit: SHA },
      },
    })
  })

  it('without a secret gets an id and a time, and no signature', async () => {
    const { environment, listRequests, deliveries, waitForAttempts } = await addNotifiedEnvironment(app)
    await report(app, environment, 'd2')
    await waitForAttempts(1)
    const [{ headers } = { headers: {} }] = listRequests()
    const [delivery] = await deliveries()
    const named = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
    expect(Object.fromEntries(named)).toEqual({
      'webhook-id': delivery?.id,
      'webhook-timestamp': String(Math.floor(readSeconds(app))),
    })
  })

  it('has the same reasons as the API, for every artifact and in full', async () => {
    const { environment, listRequests, waitForAttempts } = await addNotifiedEnvironment(
      app,
      'ON_NON_COMPLIANT_ENV',
    )
    await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('e1'), nameTrail('trail-e1')))
    await report(app, environment, 'e1', 'e2')
    await attach(app, environment, 'strict')
    await waitForAttempts(1)
    const { artifacts } = await readLatestSnapshot(app, environment)
    const reasons = artifacts.flatMap(
      ({ reasons_for_incompliance }: { reasons_for_incompliance: object[] }) => reasons_for_incompliance,
    )
    const asText = (value: unknown) => (typeof value === 'number' ? String(value) : value)
    const inTexts = (reason: object) =>
      Object.fromEntries(Object.entries(reason).map(([name, value]) => [name, asText(value)]))
    expect(reasons).toHaveLength(5)
    const body = JSON.parse(listRequests()[0]?.body ?? '')
    expect(body.reasons).toEqual(reasons.map(inTexts))
  })
})
