// A hanging receiver does not delay the other targets of its organization, and it is paused after a few failures.
import { type HttpsSink, makeTestCa, startHttpsSink } from '@waybill/testing/tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEnvironment, report } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'

const MESSAGES = 100
const PLACES = 2
const NOTIFICATIONS = '/organizations/acme/environments_notifications'
const MINUTE_MS = 60_000
const MEASURED_AFTER_MS = 6_000
/** One more message may have been under way when the fifth failed. */
const PAUSED_BECAUSE = /^The last [56] attempts failed: The receiver answered 503$/

let app: TestApp
let hanging: HttpsSink
let healthy: HttpsSink
let broken: HttpsSink
beforeAll(async () => {
  const ca = await makeTestCa()
  hanging = await startHttpsSink({ ca })
  healthy = await startHttpsSink({ ca })
  broken = await startHttpsSink({ ca })
  hanging.answer = () => undefined
  app = await startTestApp({
    trusted_ca: ca.ca_pem,
    settings: {
      WAYBILL_ROLE: 'all',
      WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
      WAYBILL_DNS_SERVER: '127.0.0.1:9',
      WAYBILL_RETRY_SCHEDULE: '0,600,600,600',
    },
  })
})
afterAll(async () => {
  await Promise.all([hanging.stop(), broken.stop()])
  await app.stop()
  await healthy.stop()
})

it('a healthy target gets every message while another target of the organization hangs', async () => {
  await addNotification('hangs', hanging, healthy)
  await reportStarts('hangs', MESSAGES)
  await until(() => healthy.requests.length === MESSAGES)
  expect(countIds(healthy.requests)).toBe(MESSAGES)
  expect(hanging.requests).toHaveLength(PLACES)
  const waiting = await app.sql('select attempts from outbox where finished_at is null and attempts = 0')
  expect(waiting).toHaveLength(MESSAGES - PLACES)
  const done = new RegExp(`^waybill_job_attempts_total\\{kind="delivery",outcome="done"\\} ${MESSAGES}$`, 'm')
  await until(async () => done.test(await readMetrics()))
})

it('a target whose receiver fails five times is paused, shown as paused, and served once it responds', async () => {
  broken.answer = () => ({ status: 503 })
  const path = await addNotification('breaks', broken)
  const readTarget = async () => (await app.reader.get(path)).body.targets[0]
  expect(await readTarget()).toMatchObject({
    delivery_state: 'active',
    paused_until: null,
    paused_because: null,
  })
  await reportStarts('breaks', 20)
  await until(async () => (await readTarget()).delivery_state === 'paused')
  const { paused_until, paused_because } = await readTarget()
  expect(paused_because).toMatch(PAUSED_BECAUSE)
  expect(paused_until).toBeGreaterThan(app.clock.now().getTime() / 1000)
  const waiting = (await listDeliveries(path)).find(({ attempts }) => attempts === 0)
  const target = {
    delivery_state: 'paused',
    paused_until,
    paused_because: expect.stringMatching(PAUSED_BECAUSE),
  }
  expect(waiting).toMatchObject({ status: 'pending', next_attempt_at: paused_until, target })
  app.clock.advance(MEASURED_AFTER_MS)
  await until(async () => /^waybill_targets_paused 1$/m.test(await readMetrics()))
  expect(await readMetrics()).toMatch(
    /^waybill_job_attempts_total\{kind="delivery",outcome="failed"\} [5-9]$/m,
  )
  broken.answer = () => ({ status: 200 })
  // After the pause, and then after the wait before a second attempt.
  for (const minutes of [1, 15]) app.clock.advance(minutes * MINUTE_MS)
  await until(async () => (await listDeliveries(path)).every(isDelivered))
  expect(await readTarget()).toMatchObject({ delivery_state: 'active', paused_until: null })
  expect(countIds(broken.requests)).toBe(20)
})

it.each([
  ['a test', (path: string) => app.member.post(`${path}/test`)],
  ['a replay', replayNewest],
])('%s that somebody asks for is sent before the pause ends', async (what, ask) => {
  broken.answer = () => ({ status: 503 })
  const name = what.replace(' ', '-')
  const path = await addNotification(name, broken)
  await reportStarts(name, 6)
  await until(async () => (await app.reader.get(path)).body.targets[0].delivery_state === 'paused')
  broken.answer = () => ({ status: 200 })
  await ask(path)
  await until(async () => (await app.reader.get(path)).body.targets[0].delivery_state === 'active')
})

it('removing a paused target leaves no message waiting', async () => {
  broken.answer = () => ({ status: 503 })
  const path = await addNotification('removed', broken)
  await reportStarts('removed', 12)
  await until(async () => (await app.reader.get(path)).body.targets[0].delivery_state === 'paused')
  await app.admin.delete(path)
  const isWaiting = ({ error }: Delivery) => error === null
  await until(async () => !(await listDeliveries(path)).some(isWaiting))
})

/** Returns the path of a notification about a new environment, with these targets. */
async function addNotification(environment: string, ...sinks: HttpsSink[]): Promise<string> {
  await makeEnvironment(app, environment)
  const { body } = await app.admin.put(NOTIFICATIONS, {
    name: environment,
    environments: [environment],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: sinks.map(({ url }) => ({ type: 'WEBHOOK', webhook: `${url}/${environment}` })),
  })
  return `${NOTIFICATIONS}/${body.number}`
}

function reportStarts(environment: string, count: number) {
  const starts = Array.from({ length: count }, (_, nth) => nth.toString(16).padStart(4, '0'))
  return report(app, environment, ...starts)
}

interface Delivery {
  id: string
  status: string
  error: string | null
  attempts: number
}

/** Newest first, of the notification at the path. */
async function listDeliveries(path: string): Promise<Delivery[]> {
  const number = path.split('/').at(-1)
  return (await app.admin.get(`/notification-deliveries/acme?number=${number}`)).body.deliveries
}

const isDelivered = ({ status }: Delivery) => status === 'delivered'

async function replayNewest(path: string): Promise<void> {
  const [newest] = await listDeliveries(path)
  await app.member.post(`/notification-deliveries/acme/${newest?.id}/replay`)
}

async function readMetrics(): Promise<string> {
  return (await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body
}

function countIds(requests: HttpsSink['requests']): number {
  return new Set(requests.map(({ headers }) => headers['webhook-id'])).size
}
