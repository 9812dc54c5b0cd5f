import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDelivery, addNotification, addTarget, makeTestNotice } from '../../../test/deliveries.ts'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import type { Delivery } from './wire.ts'

const SECRET_PATH = '/services/T00/very-secret-token'

const ACTIVE = { delivery_state: 'active', paused_until: null, paused_because: null }

let app: TestApp
let start_s: number
/** Delivery ids by label. */
const ids: Record<string, string> = {}
beforeAll(async () => {
  app = await startTestApp()
  start_s = app.clock.now().getTime() / 1000
  const first = await addNotification(app, 1, 'red alert')
  const second = await addNotification(app, 2, 'starts')
  const webhook = await addTarget(app, {
    notification_id: first,
    webhook: `https://hooks.example.com:8443${SECRET_PATH}`,
  })
  const mail = await addTarget(app, { notification_id: second, emails: ['a@x.example', 'b@y.example'] })
  ids.failed = await addDelivery(app, { notification_id: first, target_id: webhook, outcome: 'failed' })
  app.clock.advance(60_000)
  ids.delivered = await addDelivery(app, { notification_id: second, target_id: mail, outcome: 'delivered' })
  ids.derived = await addDelivery(app, {
    notification_type: 'api_key_expiry',
    event_type: 'API_KEY_EXPIRY',
    to: 'ada@example.com',
  })
  app.clock.advance(60_000)
  ids.pending = await addDelivery(app, { notification_id: first, target_id: webhook })
  await addDelivery(app, { org: 'other-corp', to: 'oscar@example.com' })
  await app.sql(
    `insert into outbox (org_id, job_id, kind, payload, created_at, due_at)
     select org_id, gen_random_uuid(), 'mail', '{"sealed": "a link"}', $1, $1 from orgs where name = 'acme'`,
    [app.clock.now()],
  )
})
afterAll(() => app.stop())

interface Listed {
  deliveries: Delivery[]
  next: string | null
}

async function list(query = '', client: Client = app.reader): Promise<Listed> {
  const { status, body } = await client.get(`/notification-deliveries/acme${query}`)
  expect(status).toBe(200)
  return body
}

/** The labels of the listed deliveries. */
const getNames = ({ deliveries }: Listed) =>
  deliveries.map(({ id }) => Object.keys(ids).find(name => ids[name] === id) ?? id)

describe('200', () => {
  it('returns only messages of this organization, newest first', async () => {
    expect(getNames(await list())).toEqual(['pending', 'derived', 'delivered', 'failed'])
    expect((await list()).next).toBeNull()
  })

  it('returns every field of each', async () => {
    const { deliveries } = await list('', app.admin)
    expect(deliveries[3]).toEqual({
      id: ids.failed,
      event_type: 'TEST',
      notification: { number: 1, name: 'red alert' },
      notification_type: null,
      target: { type: 'WEBHOOK', shown: 'https://hooks.example.com:8443', ...ACTIVE },
      description: 'Test notification from acme',
      status: 'failed',
      created_at: start_s,
      attempts: 2,
      next_attempt_at: null,
      finished_at: start_s,
      error: 'The receiver answered 500',
      suppressed: null,
    })
    expect(deliveries[2]).toMatchObject({
      target: { type: 'EMAIL', shown: 'a@x.example, b@y.example' },
      status: 'delivered',
      finished_at: start_s + 60,
      error: null,
    })
    expect(deliveries[1]).toMatchObject({
      event_type: 'API_KEY_EXPIRY',
      notification: null,
      notification_type: 'api_key_expiry',
      target: { type: 'EMAIL', shown: 'ada@example.com' },
    })
    expect(deliveries[0]).toMatchObject({
      status: 'pending',
      attempts: 0,
      next_attempt_at: start_s + 120,
      finished_at: null,
    })
  })

  it.each([
    ['?number=1', ['pending', 'failed']],
    ['?number=2', ['delivered']],
    ['?number=3', []],
    ['?notification_type=api_key_expiry', ['derived']],
    ['?event_type=API_KEY_EXPIRY', ['derived']],
    ['?event_type=TEST', ['pending', 'delivered', 'failed']],
    ['?status=pending', ['pending', 'derived']],
    ['?status=delivered', ['delivered']],
    ['?status=failed', ['failed']],
    ['?number=1&status=failed', ['failed']],
    ['?number=2&status=failed', []],
  ])('%s', async (query, names) => {
    const found = await list(query)
    expect(getNames(found)).toEqual(names)
    expect(found.next).toBeNull()
  })

  it('includes both ends of the period', async () => {
    expect(getNames(await list(`?from=${start_s + 60}`))).toEqual(['pending', 'derived', 'delivered'])
    expect(getNames(await list(`?to=${start_s + 60}`))).toEqual(['derived', 'delivered', 'failed'])
    expect(getNames(await list(`?from=${start_s + 60}&to=${start_s + 60}`))).toEqual(['derived', 'delivered'])
    expect(getNames(await list(`?from=${start_s + 60.5}`))).toEqual(['pending'])
    expect(getNames(await list(`?from=${start_s + 9_000_000}`))).toEqual([])
    expect(getNames(await list('?to=1'))).toEqual([])
  })

  it('shows only the origin of webhooks, and full mail addresses only to admins', async () => {
    for (const client of [app.admin, app.member, app.snapshotter, app.reader]) {
      const { text } = await client.get('/notification-deliveries/acme')
      expect(text).not.toContain('secret')
      expect(text).toContain('https://hooks.example.com:8443')
      expect(text.includes('ada@example.com')).toBe(client === app.admin)
      expect(text.includes('a@x.example, b@y.example')).toBe(client === app.admin)
    }
    const { deliveries } = await list('', app.member)
    expect(deliveries[1]?.target.shown).toBe('…@example.com')
    expect(deliveries[2]?.target.shown).toBe('…@x.example, …@y.example')
  })

  it('masks addresses in the descriptions too', async () => {
    const notice = {
      about: 'target',
      event_type: 'TARGET_SWITCHED_OFF',
      org: 'acme',
      happened_at: start_s,
      notification: null,
      target: { type: 'EMAIL', shown: 'desk@x.example, boss@y.example' },
      failing_since: start_s,
      error: 'The mail server does not answer',
    } as const
    await addDelivery(app, { notice, to: 'ada@example.com' })
    const query = '?event_type=TARGET_SWITCHED_OFF'
    expect((await list(query, app.admin)).deliveries[0]?.description).toContain('desk@x.example')
    const { description } = (await list(query)).deliveries[0] ?? {}
    expect(description).toContain('…@x.example, …@y.example')
    expect(description).not.toContain('desk')
    await app.sql("delete from outbox where event_type = 'TARGET_SWITCHED_OFF'")
  })

  it('lists a delivery whose address can no longer be decrypted', async () => {
    const target_id = await addTarget(app, {
      notification_id: null,
      webhook: 'https://hooks.example.com/x',
    })
    await app.sql("update notification_targets set webhook_sealed = 'v1.other.key' where target_id = $1", [
      target_id,
    ])
    const id = await addDelivery(app, { target_id })
    const { body } = await app.reader.get(`/notification-deliveries/acme/${id}`)
    expect(body.target).toEqual({
      type: 'WEBHOOK',
      shown: 'an address that can no longer be read',
      ...ACTIVE,
    })
    await app.sql('delete from outbox where target_id = $1', [target_id])
  })
})

describe('pages', () => {
  beforeAll(async () => {
    for (let i = 0; i < 12; i++) {
      await addDelivery(app, {
        notice: { ...makeTestNotice(app), asked_by: `${i}` },
        outcome: i % 3 === 0 ? 'failed' : 'pending',
      })
    }
  })

  it.each(['', '&status=failed'])('follow each other without gaps while more is added%s', async filter => {
    const all = (await list(`?per_page=100${filter}`)).deliveries.map(({ id }) => id)
    expect(all.length).toBeGreaterThan(4)
    const seen: string[] = []
    let next: string | null = null
    do {
      const page: Listed = await list(`?per_page=3${filter}${next === null ? '' : `&cursor=${next}`}`)
      expect(page.deliveries.length).toBeLessThanOrEqual(3)
      seen.push(...page.deliveries.map(({ id }) => id))
      next = page.next
      await addDelivery(app, { outcome: 'failed' })
    } while (next !== null)
    expect(seen).toEqual(all)
  })

  it('find a rare match behind many other deliveries, with a bounded scan per page', async () => {
    await app.sql(`insert into outbox (org_id, job_id, kind, payload, created_at, due_at, event_type)
      select org_id, ('fffffff0-0000-7000-8000-' || lpad(to_hex(i), 8, '0') || '0000')::uuid, 'delivery',
        '{"notice": {}}', '2026-03-03', '2026-03-03', 'TEST'
      from orgs, generate_series(1, 12000) i where name = 'acme'`)
    const first = await list('?status=delivered')
    expect(first.deliveries).toEqual([])
    expect(getNames(await list(`?status=delivered&cursor=${first.next}`))).toEqual(['delivered'])
  })
})

describe('400', () => {
  it.each([
    ['status=lost', 'query.status'],
    ['event_type=ON_COMPLIANT_ENV', 'query.event_type'],
    ['notification_type=other', 'query.notification_type'],
    ['number=0', 'query.number'],
    ['number=2147483648', 'query.number'],
    ['from=yesterday', 'query.from'],
    ['cursor=nonsense', 'query.cursor'],
    ['per_page=101', 'query.per_page'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await app.admin.get(`/notification-deliveries/acme?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})
