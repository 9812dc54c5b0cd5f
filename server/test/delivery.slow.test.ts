// Messages as receivers get them from the running worker: signed, repeated with the same id, stopped when the
// receiver is gone; and what the API shows of each.

import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setEmail } from './browser.ts'
import { makeEnvironment, report } from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { until } from './patience.ts'

const makeSecret = (letter: string) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`
const DAY_MS = 24 * 60 * 60 * 1000
const NOTIFICATIONS = '/organizations/acme/environments_notifications'

let app: TestApp
let sink: HttpsSink
let mails: MailSink
let made = 0
beforeAll(async () => {
  sink = await startHttpsSink()
  mails = await startMailSink()
  app = await startTestApp({
    trusted_ca: sink.ca_pem,
    settings: {
      WAYBILL_ROLE: 'all',
      WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
      WAYBILL_RETRY_SCHEDULE: '0,3600,3600,3600',
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WAYBILL_MAIL_FROM: 'robot@waybill.example',
      // No name in these tests may reach a real name server.
      WAYBILL_DNS_SERVER: '127.0.0.1:9',
    },
  })
  await setEmail(app, 'ada', 'ada@acme.example')
})
afterEach(() => {
  sink.answer = () => ({ status: 200 })
})
afterAll(async () => {
  await app.stop()
  await Promise.all([sink.stop(), mails.stop()])
})

/** Adds an environment with its own notification. */
async function addNotifiedEnvironment(...targets: object[]) {
  const environment = `env-${++made}`
  await makeEnvironment(app, environment)
  const wanted = {
    name: environment,
    environments: [environment],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets,
  }
  const { number } = (await app.admin.put(NOTIFICATIONS, wanted)).body
  const of_it = `number=${number}&event_type=STARTED_ARTIFACT`
  const deliveries = async () =>
    (await app.admin.get(`/notification-deliveries/acme?${of_it}`)).body.deliveries
  return {
    number,
    wanted,
    path: `${NOTIFICATIONS}/${number}`,
    reportStart: (start: string) => report(app, environment, start),
    deliveries,
    /** The recorded attempts of the latest delivery. */
    attempts: async () => {
      const [{ id }] = await deliveries()
      return (await app.admin.get(`/notification-deliveries/acme/${id}`)).body.attempt_log
    },
    record: async () => (await app.admin.get(`${NOTIFICATIONS}/${number}`)).body,
  }
}

const listRequests = (path: string) => sink.requests.filter(request => request.path === path)
const makeHook = (path: string, more: object = {}) => ({ type: 'WEBHOOK', webhook: sink.url + path, ...more })
describe('a secret', () => {
  it('signs together with the previous one for a day', async () => {
    const { path, wanted, reportStart } = await addNotifiedEnvironment(
      makeHook('/signed', { secret: makeSecret('a') }),
    )
    await app.admin.put(path, { ...wanted, targets: [makeHook('/signed', { secret: makeSecret('b') })] })
    await reportStart('a1')
    await until(() => listRequests('/signed').length === 1)
    app.clock.advance(DAY_MS + 1)
    await reportStart('a2')
    await until(() => listRequests('/signed').length === 2)
    const signatures = listRequests('/signed').map(({ body, headers }) => {
      const { 'webhook-id': id, 'webhook-timestamp': seconds } = headers
      const sent_at = new Date(Number(seconds) * 1000)
      const expected = ['b', 'a'].map(letter =>
        new Webhook(makeSecret(letter)).sign(String(id), sent_at, body),
      )
      return String(headers['webhook-signature'])
        .split(' ')
        .map(signature => ['b', 'a'][expected.indexOf(signature)])
    })
    expect(signatures).toEqual([['b', 'a'], ['b']])
  })
})

describe('a receiver that is gone', () => {
  it('is switched off immediately, and the admins are notified', async () => {
    sink.answer = () => ({ status: 410, body: 'moved away' })
    const notified = await addNotifiedEnvironment(makeHook('/gone/secret-path'))
    await notified.reportStart('b1')
    await until(async () => (await notified.record()).targets[0].switched_off_at !== null)
    expect(await notified.record()).toMatchObject({
      is_failing: true,
      targets: [{ is_failing: true, last_error: 'The receiver answered 410' }],
    })
    const reason = await mails.read('ada@acme.example', /(The receiver answered 410)/)
    expect(reason).toBe('The receiver answered 410')
    const raw = mails.arrived.map(mail => mail.raw).join()
    expect(raw).not.toContain('secret-path')
    const [event] = await app.readEvents('notification_target_switched_off')
    expect(event).toMatchObject({
      actor: 'waybill',
      data: {
        notification: { number: notified.number },
        target: { type: 'WEBHOOK', shown: sink.url },
        error: 'The receiver answered 410',
        told: 1,
      },
    })
    const [delivery] = await notified.deliveries()
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, next_attempt_at: null })
  })

  it('gets nothing more until a test succeeds', async () => {
    sink.answer = () => ({ status: 410 })
    const notified = await addNotifiedEnvironment(makeHook('/back'))
    await notified.reportStart('c1')
    await until(async () => (await notified.record()).targets[0].switched_off_at !== null)
    sink.answer = () => ({ status: 200 })
    await notified.reportStart('c2')
    expect(await notified.deliveries()).toHaveLength(1)
    await app.member.post(`${notified.path}/test`)
    await until(async () => (await notified.record()).is_failing === false)
    expect(listRequests('/back').map(({ body }) => JSON.parse(body).event_type)).toEqual([
      'STARTED_ARTIFACT',
      'TEST',
    ])
    await notified.reportStart('c3')
    await until(() => listRequests('/back').length === 3)
  })

  it('gets the messages that it missed when they are replayed', async () => {
    sink.answer = () => ({ status: 410 })
    const notified = await addNotifiedEnvironment(makeHook('/missed'))
    await notified.reportStart('d1')
    await until(async () => (await notified.record()).targets[0].switched_off_at !== null)
    sink.answer = () => ({ status: 200 })
    const [{ id }] = await notified.deliveries()
    await app.member.post(`/notification-deliveries/acme/${id}/replay`)
    await until(async () => (await notified.deliveries())[0].status === 'delivered')
    expect(listRequests('/missed').map(({ headers }) => headers['webhook-id'])).toEqual([id, id])
  })
})

describe('a receiver that fails', () => {
  it('is retried later, and not before it asks to be', async () => {
    sink.answer = () => ({ status: 503, headers: { 'retry-after': '7200' } })
    const notified = await addNotifiedEnvironment(makeHook('/later'))
    await notified.reportStart('e1')
    await until(async () => (await notified.deliveries())[0].error !== null)
    const [delivery] = await notified.deliveries()
    const now = app.clock.now().getTime() / 1000
    expect(delivery).toMatchObject({ status: 'pending', error: 'The receiver answered 503' })
    expect(delivery.next_attempt_at).toBeGreaterThanOrEqual(now + 7200)
    expect(await notified.record()).toMatchObject({ is_failing: true, last_success_timestamp: 0 })
  })

  it('is switched off after five days, with the same notification as one that is gone', async () => {
    sink.answer = () => ({ status: 500 })
    const notified = await addNotifiedEnvironment(makeHook('/for-days'))
    await notified.reportStart('f1')
    await until(() => listRequests('/for-days').length === 1)
    await until(async () => (await notified.record()).is_failing)
    app.clock.advance(5 * DAY_MS)
    await until(async () => (await notified.record()).targets[0].switched_off_at !== null)
    const events = await app.readEvents('notification_target_switched_off')
    const numbers = events.map(({ data }) => (data.notification as { number: number }).number)
    expect(numbers.filter(number => number === notified.number)).toHaveLength(1)
  })
})

describe('a receiver that responds with a redirect', () => {
  /** 300, 304 and 399 too: only 2xx counts as delivered. */
  it.each([300, 301, 302, 303, 304, 305, 307, 308, 399])(
    '%d is not a delivery: it is shown as failing and retried, and the redirect is not followed',
    async status => {
      const from = `/moved-${status}`
      const location = `${sink.url}/moved-to`
      sink.answer = ({ path }) => (path === from ? { status, headers: { location } } : { status: 200 })
      const notified = await addNotifiedEnvironment(makeHook(from))
      await notified.reportStart('a5')
      await until(async () => (await notified.attempts()).length === 1)
      const [delivery] = await notified.deliveries()
      expect(delivery).toMatchObject({ status: 'pending', attempts: 1 })
      expect(delivery.error).toMatch(/redirect|answered 3\d\d/)
      expect(delivery.next_attempt_at).toBeGreaterThan(app.clock.now().getTime() / 1000)
      expect(await notified.record()).toMatchObject({
        is_failing: true,
        last_success_timestamp: 0,
        targets: [{ is_failing: true, last_success_at: null, last_error: delivery.error }],
      })
      app.clock.advance(2 * 3600_000)
      await until(async () => (await notified.attempts()).length === 2)
      sink.answer = () => ({ status: 200 })
      app.clock.advance(2 * 3600_000)
      await until(async () => (await notified.deliveries())[0].status === 'delivered')
      expect(listRequests(from)).toHaveLength(3)
      expect(listRequests('/moved-to')).toEqual([])
    },
  )

  it('is shown as failed once every attempt was redirected', async () => {
    sink.answer = () => ({ status: 302, headers: { location: `${sink.url}/moved-to` } })
    const notified = await addNotifiedEnvironment(makeHook('/moved-for-good'))
    await notified.reportStart('a6')
    for (const attempts of [1, 2, 3, 4]) {
      await until(async () => (await notified.attempts()).length === attempts)
      app.clock.advance(2 * 3600_000)
    }
    expect((await notified.deliveries())[0]).toMatchObject({ status: 'failed', next_attempt_at: null })
    expect(listRequests('/moved-to')).toEqual([])
  })
})

describe('a target with several mail addresses', () => {
  const ofThese = (addresses: readonly string[]) => mails.arrived.filter(({ to }) => addresses.includes(to))
  const readHeader = (raw: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(raw)?.[1]?.trim()

  it('gets a message for each of them, which names nobody else', async () => {
    const emails = ['one@acme.example', 'two@acme.example', 'three@rival.example']
    const { reportStart, attempts } = await addNotifiedEnvironment({ type: 'EMAIL', emails })
    await reportStart('e1')
    await until(() => ofThese(emails).length === 3)
    for (const { to, raw } of ofThese(emails)) {
      expect(readHeader(raw, 'to')).toBe(to)
      for (const other of emails) if (other !== to) expect(raw).not.toContain(other)
    }
    const ids = ofThese(emails).map(({ raw }) => readHeader(raw, 'message-id'))
    expect(new Set(ids).size).toBe(3)
    await until(async () => (await attempts()).length === 1)
  })

  it('is sent once to the reachable addresses, and later to the others', async () => {
    const emails = ['first@acme.example', 'full@acme.example', 'unknown@acme.example']
    mails.refused.set('full@acme.example', 451).set('unknown@acme.example', 550)
    const { reportStart, deliveries } = await addNotifiedEnvironment({ type: 'EMAIL', emails })
    await reportStart('e2')
    await until(async () => (await deliveries()).at(-1)?.status === 'delivered')
    const [later, own] = await deliveries()
    expect(own.target.shown).toBe(emails.join(', '))
    expect(later).toMatchObject({ status: 'pending', target: { type: 'EMAIL', shown: 'full@acme.example' } })
    expect(ofThese(emails).map(({ to }) => to)).toEqual(['first@acme.example'])
    mails.refused.clear()
    app.clock.advance(2 * 3_600_000)
    await until(() => ofThese(emails).length === 2)
    expect(ofThese(emails).map(({ to }) => to)).toEqual(['first@acme.example', 'full@acme.example'])
  })

  it('is retried as a whole while no address is reachable', async () => {
    const emails = ['busy@acme.example', 'also-busy@acme.example']
    for (const email of emails) mails.refused.set(email, 451)
    const { reportStart, attempts } = await addNotifiedEnvironment({ type: 'EMAIL', emails })
    await reportStart('e3')
    await until(async () => (await attempts()).length === 1)
    expect(await attempts()).toMatchObject([{ error: 'The mail server answered 451' }])
    mails.refused.clear()
    app.clock.advance(2 * 3_600_000)
    await until(() => ofThese(emails).length === 2)
  })
})

describe('nothing is sent', () => {
  it('to a target that was removed meanwhile', async () => {
    sink.answer = () => ({ status: 500 })
    const notified = await addNotifiedEnvironment(makeHook('/removed'))
    await notified.reportStart('ab')
    await until(async () => (await notified.record()).is_failing)
    await app.admin.put(notified.path, { ...notified.wanted, targets: [makeHook('/other')] })
    app.clock.advance(2 * 3600_000)
    await until(async () => (await notified.deliveries())[0].status === 'failed')
    expect((await notified.deliveries())[0].error).toBe('The target was removed')
    expect(listRequests('/removed')).toHaveLength(1)
    expect((await notified.record()).is_failing).toBe(false)
  })

  it('to a host name that does not resolve, and the configuration shows it', async () => {
    const config = '/notification-config/acme/api_key_expiry'
    const targets = [{ type: 'CHAT', webhook: 'https://chat.example/services/T0' }]
    expect((await app.admin.put(config, { targets })).status).toBe(201)
    expect((await app.admin.post(`${config}/test`)).status).toBe(201)
    await until(async () => (await app.reader.get(config)).body.last_failure !== null)
    expect((await app.reader.get(config)).body).toMatchObject({
      targets: [{ webhook_origin: 'https://chat.example' }],
      last_notified_at: null,
      last_failure: {
        failed_at: app.clock.now().getTime() / 1000,
        error: 'The host name could not be resolved',
      },
    })
    app.clock.advance(1000)
    await app.admin.put(config, { targets: [{ type: 'CHAT', webhook: `${sink.url}/chat` }] })
    await app.admin.post(`${config}/test`)
    await until(async () => (await app.reader.get(config)).body.last_failure === null)
    expect((await app.reader.get(config)).body.last_notified_at).toBe(app.clock.now().getTime() / 1000)
    expect(JSON.parse(listRequests('/chat')[0]?.body ?? '{}').blocks).toBeDefined()
  })
})
