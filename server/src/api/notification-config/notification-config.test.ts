import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { NEW_TARGET_STATE } from '../../../test/notification-targets.ts'

const PATH = '/notification-config/acme/api_key_expiry'
const TOKEN = 'T0K3N-that-nobody-may-see'
const ORIGIN = 'https://hooks.example.com'
const WEBHOOK = { type: 'WEBHOOK', webhook: `${ORIGIN}/${TOKEN}` }
const MAIL = { type: 'EMAIL', emails: ['security@example.com'] }
const EMPTY = {
  notification_type: 'api_key_expiry',
  scope: null,
  targets: [],
  detection: { first_notice_days: 14, last_notice_days: 3 },
  last_notified_at: null,
  last_failure: null,
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const put = (targets: unknown, client: Client = app.admin) => client.put(PATH, { targets })
const setColumns = (columns: string) => app.sql(`update notification_configs set ${columns}`)

describe('before anything is configured', () => {
  it('has no targets for any reader, and no row', async () => {
    for (const client of [app.admin, app.reader]) {
      const { status, body } = await client.get(PATH)
      expect([status, body]).toEqual([200, EMPTY])
    }
    expect(await app.sql('select * from notification_configs')).toEqual([])
  })

  it('is deleted without an event or a row, and cannot be tested', async () => {
    const { status, body } = await app.admin.delete(PATH)
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents('notification_config_deleted')).toEqual([])
    expect(await app.sql('select * from notification_configs')).toEqual([])
    const test = await app.admin.post(`${PATH}/test`)
    expect([test.status, test.body]).toEqual([
      404,
      { message: "No targets are configured for 'api_key_expiry' in organization 'acme'" },
    ])
  })
})

describe('201', () => {
  it('returns the configured targets, in full to admins and by origin to others', async () => {
    const { status, body } = await put([WEBHOOK, MAIL])
    expect(status).toBe(201)
    const webhook = {
      ...WEBHOOK,
      neutral_type: 'WEBHOOK',
      webhook_origin: ORIGIN,
      payload_version: '1.0',
      is_signed: false,
      ...NEW_TARGET_STATE,
    }
    expect(body).toEqual({
      ...EMPTY,
      targets: [webhook, { ...MAIL, neutral_type: 'EMAIL', ...NEW_TARGET_STATE }],
    })
    expect((await app.admin.get(PATH)).body).toEqual(body)
    const shown = (await app.reader.get(PATH)).body
    const { webhook: _, ...without } = webhook
    expect(shown.targets[0]).toEqual(without)
    expect((await app.outsider.get('/notification-config/other-corp/api_key_expiry')).body).toEqual(EMPTY)
    expect(await app.readEvents('notification_config_set')).toEqual([
      {
        kind: 'notification_config_set',
        actor: 'ada',
        data: {
          notification_type: 'api_key_expiry',
          targets: [
            { type: 'WEBHOOK', origin: ORIGIN },
            { type: 'EMAIL', addresses: 1 },
          ],
        },
      },
    ])
  })

  it('is returned for an identical request, which changes and records nothing', async () => {
    await put([WEBHOOK])
    const before = await app.sql('select * from notification_targets order by target_id')
    const recorded = (await app.readEvents('notification_config_set')).length
    const answers = await Promise.all(Array.from({ length: 8 }, () => put([WEBHOOK])))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    // An origin without its path stands for the same target.
    expect((await put([{ type: 'WEBHOOK', webhook: ORIGIN }])).body.targets[0].webhook).toBe(WEBHOOK.webhook)
    expect(await app.sql('select * from notification_targets order by target_id')).toEqual(before)
    expect(await app.readEvents('notification_config_set')).toHaveLength(recorded)
  })

  it('leaves one set of targets after concurrent requests', async () => {
    const emails = (i: number) => [{ type: 'EMAIL', emails: [`${i}@example.com`] }]
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => put(emails(i))))
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201))
    expect((await app.admin.get(PATH)).body.targets).toHaveLength(1)
    expect(await app.sql('select * from notification_configs')).toHaveLength(1)
  })

  it('keeps an omitted secret, and never returns one', async () => {
    const secret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
    const { body, text } = await put([{ ...WEBHOOK, secret }])
    expect(body.targets[0].is_signed).toBe(true)
    expect(text).not.toContain(secret.slice(6))
    expect((await put([WEBHOOK, MAIL])).body.targets[0].is_signed).toBe(true)
    expect((await put([{ ...WEBHOOK, secret: null }])).body.targets[0].is_signed).toBe(false)
  })
})

describe('the status of deliveries', () => {
  it('has a failure only until something is sent, whatever is configured meanwhile', async () => {
    await put([MAIL])
    const read = async () => (await app.reader.get(PATH)).body
    await setColumns(
      `last_failed_at = '2026-01-02T00:00:00Z', last_error = 'The receiver could not be reached'`,
    )
    const failed_at = Date.UTC(2026, 0, 2) / 1000
    const last_failure = { failed_at, error: 'The receiver could not be reached' }
    expect(await read()).toMatchObject({ last_notified_at: null, last_failure })
    await put([WEBHOOK])
    await app.admin.delete(PATH)
    expect(await read()).toEqual({ ...EMPTY, last_failure })
    await setColumns(`last_notified_at = '2026-01-01T00:00:00Z'`)
    expect(await read()).toMatchObject({ last_notified_at: failed_at - 86_400, last_failure })
    for (const time of ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z']) {
      await setColumns(`last_notified_at = '${time}'`)
      expect(await read()).toMatchObject({ last_notified_at: Date.parse(time) / 1000, last_failure: null })
    }
  })
})

describe('deleting', () => {
  it('leaves no targets and records one event', async () => {
    await put([WEBHOOK, MAIL])
    const before = (await app.readEvents('notification_config_deleted')).length
    for (const _ of [1, 2]) expect((await app.admin.delete(PATH)).body).toBe('OK')
    expect((await app.admin.get(PATH)).body.targets).toEqual([])
    const recorded = (await app.readEvents('notification_config_deleted')).slice(before)
    expect(recorded.map(({ data }) => data)).toEqual([
      {
        notification_type: 'api_key_expiry',
        targets: [
          { type: 'WEBHOOK', origin: ORIGIN },
          { type: 'EMAIL', addresses: 1 },
        ],
      },
    ])
  })
})

describe('a test', () => {
  it('is a delivery to each target, once under an Idempotency-Key', async () => {
    await put([WEBHOOK, MAIL])
    const post = () => app.admin.call('POST', `${PATH}/test`, undefined, { 'idempotency-key': 'test' })
    const answers = await Promise.all(Array.from({ length: 4 }, post))
    const [first] = answers
    for (const { status, text } of answers) expect([status, text]).toEqual([201, first?.text])
    const rows = await app.sql(`select * from outbox where event_type = 'TEST' order by job_id`)
    expect(rows).toMatchObject(
      [1, 2].map(() => ({
        notification_id: null,
        notification_type: 'api_key_expiry',
        payload: { notice: { about: 'test', asked_by: 'ada', notification: null } },
      })),
    )
    expect(first?.body.deliveries).toEqual(rows.map(({ job_id }) => String(job_id).slice(0, 32)))
    expect((await app.readEvents('notification_test_sent')).at(-1)?.data).toMatchObject({
      notification_type: 'api_key_expiry',
    })
  })
})

describe('400', () => {
  it.each<[string, unknown, string]>([
    ['no targets', { targets: [] }, 'targets'],
    ['nothing', {}, 'targets'],
    ['an unknown property', { targets: [MAIL], scope: TOKEN }, 'scope'],
    ['http', { targets: [MAIL, { ...WEBHOOK, webhook: `http://h.example/${TOKEN}` }] }, 'targets[1].webhook'],
    ['a bad mail address', { targets: [{ emails: ['nobody'] }] }, 'targets[0].emails[0]'],
    ['an unknown type', { targets: [{ ...MAIL, type: 'FAX' }] }, 'targets[0].type'],
    [
      'an inner address',
      { targets: [{ ...WEBHOOK, webhook: `https://[::1]/${TOKEN}` }] },
      'targets[0].webhook',
    ],
    ['a bad secret', { targets: [{ ...WEBHOOK, secret: TOKEN }] }, 'targets[0].secret'],
  ])('names the field: %s', async (_what, body, field) => {
    const answer = await app.admin.put(PATH, body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]])
    expect(answer.text).not.toContain(TOKEN)
  })

  it.each(['GET', 'PUT', 'DELETE'])('for an unknown notification type: %s', async method => {
    const body = method === 'PUT' ? { targets: [MAIL] } : undefined
    const { status, body: answered } = await app.admin.call(method, '/notification-config/acme/weather', body)
    expect([status, answered.errors]).toEqual([
      400,
      { notification_type: "Input should be 'api_key_expiry' [input: weather]" },
    ])
  })
})

describe('access', () => {
  it('only admins set and delete', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await put([MAIL], client)).status).toBe(403)
      expect((await client.delete(PATH)).status).toBe(403)
      expect((await client.post(`${PATH}/test`)).status).toBe(403)
    }
  })

  it('Basic works for everyone who may use Bearer', async () => {
    const headers = { authorization: `Basic ${Buffer.from(`${app.admin.key}:`).toString('base64')}` }
    const call = (method: string, path: string, body?: unknown) =>
      app.anonymous.call(method, path, body, headers)
    expect((await call('PUT', PATH, { targets: [MAIL] })).status).toBe(201)
    expect((await call('GET', PATH)).status).toBe(200)
    const { body } = await app.anonymous.get('/openapi.json')
    const operation = body.paths['/notification-config/{org}/{notification_type}'].put
    expect(operation.security).toContainEqual({ basic: [] })
  })
})
