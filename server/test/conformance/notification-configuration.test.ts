// Section 2.1: the fields of a notification configuration and of its targets, in responses and in requests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestResponse } from '../harness.ts'
import { type MailSink, startMailSink } from '../mail-sink.ts'
import { until } from '../patience.ts'
import { expectKind, type Kind, readValue } from './fields.ts'

const PATH = '/notification-config/acme/api_key_expiry'
const ADDRESS = 'https://hooks.example.com/x'
const CHAT = { type: 'CHAT', webhook: ADDRESS }
const WEBHOOK = { type: 'WEBHOOK', webhook: ADDRESS }
const EMAIL = { type: 'EMAIL', emails: ['team@example.com'] }
const NOTHING = { last_success_at: null, last_failure_at: null, context: null }
const CONTEXT = { channel_id: 'C1', channel_name: 'alerts', team_id: 'T1' }

let app: TestApp
let mails: MailSink
let fresh: TestResponse
let failed: TestResponse
let sent: TestResponse
// biome-ignore lint/suspicious/noExplicitAny: the document has every shape
let document: any
beforeAll(async () => {
  mails = await startMailSink()
  app = await startTestApp({
    settings: {
      WAYBILL_ROLE: 'all',
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WAYBILL_MAIL_FROM: 'robot@waybill.example',
    },
  })
  fresh = await app.admin.get(PATH)
  await app.admin.put(PATH, { targets: [CHAT, WEBHOOK, EMAIL] })
  await app.sql(
    `update notification_configs set last_failed_at = $1, last_error = 'The receiver answered 500'`,
    [app.clock.now()],
  )
  failed = await app.admin.get(PATH)
  await app.sql('update notification_configs set last_notified_at = $1', [app.clock.now()])
  sent = await app.admin.get(PATH)
  document = (await app.anonymous.get('/openapi.json')).body
})
afterAll(async () => {
  await app.stop()
  await mails.stop()
})

const put = (target: unknown) => app.admin.put(PATH, { targets: [target] })

describe('a configuration', () => {
  it.each<[string, Kind]>([
    ['notification_type', 'a string'],
    ['scope', 'null'],
    ['targets', 'an array'],
    ['detection', 'an object'],
    ['last_notified_at', 'null'],
    ['last_failure', 'null'],
  ])('before anything is configured: has %s, %s', (field, kind) => {
    expectKind(fresh.body, field, kind)
    const schema = document.components.schemas.NotificationConfigResponse
    expect(schema.required).toContain(field)
  })

  it('has the one type api_key_expiry, as an enumeration of the document', () => {
    expect(fresh.body.notification_type).toBe('api_key_expiry')
    const { properties } = document.components.schemas.NotificationConfigResponse
    expect(properties.notification_type.enum).toEqual(['api_key_expiry'])
  })

  it('shows when it was last sent, in epoch seconds', () => {
    expect(sent.body.last_notified_at).toBe(app.clock.now().getTime() / 1000)
  })

  it.each<[string, Kind]>([
    ['last_failure.failed_at', 'a number'],
    ['last_failure.error', 'a string'],
  ])('that failed has %s, %s', (field, kind) => {
    expectKind(failed.body, field, kind)
    expect(document.components.schemas.NotificationFailure.required).toContain(field.split('.')[1])
  })

  it('has no failure once something was sent', () => expect(sent.body.last_failure).toBeNull())
})

describe('a target in a response', () => {
  it.each<[string, number, string, Kind, string]>([
    ['CHAT', 0, 'webhook', 'a string', 'ChatTarget'],
    ['WEBHOOK', 1, 'webhook', 'a string', 'WebhookTarget'],
    ['WEBHOOK', 1, 'payload_version', 'a string', 'WebhookTarget'],
    ['EMAIL', 2, 'emails', 'an array of strings', 'EmailTarget'],
  ])('%s at index %i has %s, %s', (type, place, field, kind, schema) => {
    const target = sent.body.targets[place]
    expect(target.type).toBe(type)
    expectKind(target, field, kind)
    // The address is present for callers who may see it and absent for others; it is always the one that was sent.
    const required = field === 'webhook' ? 'webhook_origin' : field
    expect(document.components.schemas[schema].required).toEqual(expect.arrayContaining(['type', required]))
  })

  it('is distinguished by its type, in the document too', () => {
    const { discriminator } = document.components.schemas.NotificationTarget
    expect(discriminator.propertyName).toBe('type')
    expect(Object.keys(discriminator.mapping)).toEqual(['CHAT', 'WEBHOOK', 'EMAIL'])
  })
})

describe('a target in a request', () => {
  it.each<[string, object]>([
    ['CHAT with an address', CHAT],
    ['CHAT with last_success_at as a number', { ...CHAT, last_success_at: 1.5 }],
    ['CHAT with last_success_at as null', { ...CHAT, last_success_at: null }],
    ['CHAT with last_failure_at as a number', { ...CHAT, last_failure_at: 1.5 }],
    ['CHAT with last_failure_at as null', { ...CHAT, last_failure_at: null }],
    ['CHAT with a context', { ...CHAT, context: CONTEXT }],
    ['CHAT with a context that is null', { ...CHAT, context: null }],
    ['WEBHOOK with an address', WEBHOOK],
    ['WEBHOOK with payload_version 1.0', { ...WEBHOOK, payload_version: '1.0' }],
    ['WEBHOOK with last_success_at as a number', { ...WEBHOOK, last_success_at: 1.5 }],
    ['WEBHOOK with last_success_at as null', { ...WEBHOOK, last_success_at: null }],
    ['WEBHOOK with last_failure_at as a number', { ...WEBHOOK, last_failure_at: 1.5 }],
    ['WEBHOOK with last_failure_at as null', { ...WEBHOOK, last_failure_at: null }],
    ['EMAIL with addresses', { ...EMAIL, emails: ['a@example.com', 'b@example.com'] }],
    ['EMAIL with last_success_at as a number', { ...EMAIL, last_success_at: 1.5 }],
    ['EMAIL with last_success_at as null', { ...EMAIL, last_success_at: null }],
    ['EMAIL with last_failure_at as a number', { ...EMAIL, last_failure_at: 1.5 }],
    ['EMAIL with last_failure_at as null', { ...EMAIL, last_failure_at: null }],
  ])('is accepted: %s', async (_what, target) => {
    // The times are ignored, and the context is stored but not returned.
    const { last_success_at, last_failure_at, context, ...kept } = { ...NOTHING, ...target }
    const { status, body } = await put(target)
    expect([status, body.targets]).toMatchObject([201, [kept]])
    expect((await app.admin.get(PATH)).body.targets).toEqual(body.targets)
  })

  it('may have several addresses, and each of them gets the mail', async () => {
    const emails = ['a@example.com', 'b@example.com', 'c@example.com']
    expect((await put({ ...EMAIL, emails })).body.targets).toMatchObject([{ type: 'EMAIL', emails }])
    const [id] = (await app.admin.post(`${PATH}/test`)).body.deliveries
    const delivery = `/notification-deliveries/acme/${id}`
    await until(async () => (await app.admin.get(delivery)).body.status !== 'pending')
    expect(mails.arrived.map(({ to }) => to).toSorted()).toEqual(emails)
  })

  it.each<[string, object, string]>([
    ['CHAT without an address', { type: 'CHAT' }, 'webhook'],
    ['CHAT with an address that is not https', { ...CHAT, webhook: 'http://hooks.example.com' }, 'webhook'],
    ['CHAT with last_success_at as text', { ...CHAT, last_success_at: 'now' }, 'last_success_at'],
    ['CHAT with last_failure_at as text', { ...CHAT, last_failure_at: 'now' }, 'last_failure_at'],
    [
      'CHAT without channel_id',
      { ...CHAT, context: { ...CONTEXT, channel_id: undefined } },
      'context.channel_id',
    ],
    [
      'CHAT without channel_name',
      { ...CHAT, context: { ...CONTEXT, channel_name: undefined } },
      'context.channel_name',
    ],
    ['CHAT without team_id', { ...CHAT, context: { ...CONTEXT, team_id: undefined } }, 'context.team_id'],
    [
      'CHAT with channel_id as a number',
      { ...CHAT, context: { ...CONTEXT, channel_id: 1 } },
      'context.channel_id',
    ],
    ['WEBHOOK without an address', { type: 'WEBHOOK' }, 'webhook'],
    [
      'WEBHOOK with an address that is not https',
      { ...WEBHOOK, webhook: 'ftp://hooks.example.com' },
      'webhook',
    ],
    ['WEBHOOK with payload_version 1.1', { ...WEBHOOK, payload_version: '1.1' }, 'payload_version'],
    ['WEBHOOK with last_success_at as text', { ...WEBHOOK, last_success_at: 'now' }, 'last_success_at'],
    ['WEBHOOK with last_failure_at as text', { ...WEBHOOK, last_failure_at: 'now' }, 'last_failure_at'],
    ['EMAIL without addresses', { type: 'EMAIL' }, 'emails'],
    ['EMAIL with one that is no mail address', { type: 'EMAIL', emails: ['nobody'] }, 'emails[0]'],
    ['EMAIL with last_success_at as text', { ...EMAIL, last_success_at: 'now' }, 'last_success_at'],
    ['EMAIL with last_failure_at as text', { ...EMAIL, last_failure_at: 'now' }, 'last_failure_at'],
  ])('is refused: %s', async (_what, target, field) => {
    const { status, body } = await put(target)
    expect([status, Object.keys(body.errors)]).toEqual([400, [`targets[0].${field}`]])
  })

  it.each<[string, object]>([
    ['CHAT', { webhook: ADDRESS, context: CONTEXT }],
    ['WEBHOOK', { webhook: ADDRESS }],
    ['EMAIL', { emails: ['team@example.com'] }],
  ])('without a type can be %s', async (type, target) => {
    expect(readValue((await put(target)).body, 'targets[0].type')).toBe(type)
  })

  it('has payload_version 1.0 by default', async () => {
    expect(readValue((await put(WEBHOOK)).body, 'targets[0].payload_version')).toBe('1.0')
  })

  it('cannot set its own delivery times', async () => {
    const target = { ...EMAIL, emails: ['new@example.com'], last_success_at: 5, last_failure_at: 6 }
    expect((await put(target)).body.targets[0]).toMatchObject({
      last_success_at: null,
      last_failure_at: null,
    })
  })
})
