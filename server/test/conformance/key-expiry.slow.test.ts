// Sections 2.1, 4.1 and 6: the running service announces expiring keys, to the tests' mail server and receivers.

import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setEmail } from '../browser.ts'
import { type Client, startTestApp, type TestApp } from '../harness.ts'
import { type MailSink, startMailSink } from '../mail-sink.ts'
import { until } from '../patience.ts'
import { addPerson } from '../people.ts'

const DAY_S = 86_400
const CONFIG = '/notification-config/acme/api_key_expiry'
const MARKER = 'mia@example.com'

let app: TestApp
let mails: MailSink
let sink: HttpsSink
/** Not a member of acme: notices about her own keys show that a scan is complete. */
let mia: Client
let made = 0
beforeAll(async () => {
  mails = await startMailSink()
  sink = await startHttpsSink()
  app = await startTestApp({
    trusted_ca: sink.ca_pem,
    settings: {
      WAYBILL_ROLE: 'all',
      WAYBILL_KEY_EXPIRY_SCAN_SECONDS: '1',
      WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WAYBILL_MAIL_FROM: 'robot@waybill.example',
    },
  })
  mia = await addPerson(app, 'mia')
  await addPerson(app, 'eva', 'admin')
  for (const name of ['ada', 'max', 'rita']) await setEmail(app, name, `${name}@example.com`)
})
beforeEach(async () => {
  await app.admin.delete(CONFIG)
  sink.requests.length = 0
})
afterAll(async () => {
  await app.stop()
  await Promise.all([mails.stop(), sink.stop()])
})

const addDays = (days: number) => Math.floor(app.clock.now().getTime() / 1000) + days * DAY_S
const passDays = (days: number) => app.clock.advance(days * DAY_S * 1000)

async function createAccountKey(client: Client, account: string, days: number): Promise<void> {
  expect((await client.post('/service-accounts/acme', { name: account })).status).toBe(201)
  const body = { description: `key of ${account}`, expires_at: addDays(days) }
  expect((await client.post(`/service-accounts/acme/${account}/api-keys`, body)).status).toBe(201)
}

const createOwnKey = async (client: Client, description: string, days: number) => {
  const made_key = await client.post('/user/api-keys', { description, expires_at: addDays(days) })
  expect(made_key.status).toBe(201)
}

/** The recipients of mails that contain this text, sorted. */
async function listRecipients(text: string): Promise<string[]> {
  const read = await Promise.all(
    mails.arrived.map(async ({ to, raw }) => ({ to, text: (await PostalMime.parse(raw)).text ?? '' })),
  )
  return read
    .filter(mail => mail.text.includes(text))
    .map(({ to }) => to)
    .toSorted()
}

/**
 * Waits until the service has scanned the current keys and sent all notices. It scans organizations before people.
 */
async function waitForScan(): Promise<void> {
  const marker = `marker-${++made}-`
  await createOwnKey(mia, marker, 2)
  await until(async () => (await listRecipients(marker)).includes(MARKER))
  const pending = '/notification-deliveries/acme?notification_type=api_key_expiry&status=pending'
  await until(async () => (await app.admin.get(pending)).body.deliveries.length === 0)
}

describe('the expiry of a key', () => {
  it('of a service account is mailed to the admins and to its creator, once each', async () => {
    await createAccountKey(app.member, 'of-max', 30)
    passDays(17)
    await waitForScan()
    await waitForScan()
    expect(await listRecipients('of-max')).toEqual(['ada@example.com', 'eva@example.com', 'max@example.com'])
  })

  it('is announced 14 and 3 days before, once each', async () => {
    await createAccountKey(app.admin, 'of-ada', 20)
    const announced: string[] = []
    let day = 0
    for (const next of [0, 5, 6, 7, 16, 17, 18, 21]) {
      passDays(next - day)
      day = next
      await waitForScan()
      const before = announced.length
      const count = (await listRecipients('of-ada')).filter(to => to === 'ada@example.com').length
      for (let i = before; i < count; i++) announced.push(`day ${day}`)
    }
    expect(announced).toEqual(['day 6', 'day 17'])
  })

  it('of a personal key is mailed to its owner alone, whatever is configured', async () => {
    await app.admin.put(CONFIG, { targets: [{ type: 'WEBHOOK', webhook: `${sink.url}/own` }] })
    await createOwnKey(app.reader, 'laptop-of-rita', 30)
    passDays(17)
    await waitForScan()
    // Each owner gets a mail of their own, in any order.
    await until(async () => (await listRecipients('laptop-of-rita')).length > 0)
    expect(await listRecipients('laptop-of-rita')).toEqual(['rita@example.com'])
    expect(sink.requests).toEqual([])
  })
})

describe('configured targets', () => {
  const TARGETS = () => [
    { type: 'WEBHOOK', webhook: `${sink.url}/hook` },
    { type: 'CHAT', webhook: `${sink.url}/chat` },
    { type: 'EMAIL', emails: ['desk@example.com'] },
  ]

  it('are notified instead of the people, once each', async () => {
    expect((await app.admin.put(CONFIG, { targets: TARGETS() })).status).toBe(201)
    await createAccountKey(app.member, 'configured', 30)
    passDays(17)
    await waitForScan()
    await waitForScan()
    expect(await listRecipients('configured')).toEqual(['desk@example.com'])
    expect(sink.requests.map(({ path }) => path).toSorted()).toEqual(['/chat', '/hook'])
    const hook = sink.requests.find(({ path }) => path === '/hook')
    expect(JSON.parse(hook?.body ?? '')).toMatchObject({
      version: '1.0',
      event_type: 'API_KEY_EXPIRY',
      keys: [{ owner: 'configured', kind: 'service_account', notice: 'first' }],
    })
  })

  it('are replaced by the people again when they are deleted, which returns 200', async () => {
    await app.admin.put(CONFIG, { targets: TARGETS() })
    await createAccountKey(app.member, 'restored', 30)
    passDays(17)
    await waitForScan()
    expect(await listRecipients('restored')).toEqual(['desk@example.com'])
    const { status, body } = await app.admin.delete(CONFIG)
    expect([status, body]).toEqual([200, 'OK'])
    expect((await app.reader.get(CONFIG)).body.targets).toEqual([])
    sink.requests.length = 0
    passDays(10)
    await waitForScan()
    expect(await listRecipients('restored')).toEqual([
      ...['ada@example.com', 'desk@example.com', 'eva@example.com', 'max@example.com'],
    ])
    expect(sink.requests).toEqual([])
  })
})
