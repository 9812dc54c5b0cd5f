import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addDelivery, addNotification, addTarget } from '../../../test/deliveries.ts'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'

const DAY_S = 86_400

let app: TestApp
let webhook: string
let notification_id: string
/** Delivery ids by label. */
let ids: Record<string, string>
let start_s: number
beforeAll(async () => {
  app = await startTestApp()
  notification_id = await addNotification(app, 7, 'red alert')
  webhook = await addTarget(app, { notification_id, webhook: 'https://hooks.example.com/x' })
})
beforeEach(async () => {
  await app.sql('delete from outbox')
  app.clock.advance(3_600_000)
  start_s = app.clock.now().getTime() / 1000
  const to = 'ada@example.com'
  const of_keys = { notification_type: 'api_key_expiry', to } as const
  ids = {
    early: await addDelivery(app, { to, outcome: 'failed' }),
  }
  app.clock.advance(60_000)
  ids.failed = await addDelivery(app, { notification_id, target_id: webhook, outcome: 'failed' })
  ids.delivered = await addDelivery(app, { notification_id, target_id: webhook, outcome: 'delivered' })
  ids.pending = await addDelivery(app, { notification_id, target_id: webhook })
  ids.of_keys = await addDelivery(app, { ...of_keys, outcome: 'failed' })
  app.clock.advance(60_000)
  ids.late = await addDelivery(app, { to, outcome: 'failed' })
  ids.foreign = await addDelivery(app, { org: 'other-corp', to, outcome: 'failed' })
  app.clock.advance(60_000)
})
afterAll(() => app.stop())

const replay = (body: unknown, client: Client = app.member) =>
  client.post('/notification-deliveries/acme/replay', body)

/** The labels of the deliveries that were queued again. */
async function listReplayed(): Promise<string[]> {
  const rows = await app.sql(
    "select job_id from outbox where payload ? 'is_replay' and finished_at is null and due_at = $1 order by job_id",
    [app.clock.now()],
  )
  return rows.map(({ job_id }) => Object.keys(ids).find(name => `${ids[name]}0000` === job_id) ?? '')
}

describe('200', () => {
  it.each([
    [{}, ['early', 'failed', 'of_keys', 'late']],
    [{ status: 'failed' }, ['early', 'failed', 'of_keys', 'late']],
    [{ status: 'delivered' }, ['delivered']],
    [{ status: 'all' }, ['early', 'failed', 'delivered', 'of_keys', 'late']],
    [{ number: 7 }, ['failed']],
    [{ number: 7, status: 'all' }, ['failed', 'delivered']],
    [{ number: 8 }, []],
    [{ notification_type: 'api_key_expiry' }, ['of_keys']],
    [{ notification_type: 'api_key_expiry', number: 7 }, []],
  ])('of the deliveries in the period, %j selects %j', async (input, names) => {
    const answer = await replay({ from: start_s, to: start_s + 120, ...input })
    expect([answer.status, answer.body]).toEqual([200, { replayed: names.length }])
    expect(await listReplayed()).toEqual(names)
  })

  it('includes both ends of the period', async () => {
    await replay({ from: start_s + 60, to: start_s + 60 })
    expect(await listReplayed()).toEqual(['failed', 'of_keys'])
    await replay({ from: start_s + 60.5, to: start_s + 60.5 + 30 * DAY_S })
    expect(await listReplayed()).toEqual(['failed', 'of_keys', 'late'])
  })

  it('leaves out deliveries whose target was removed', async () => {
    await app.sql('update notification_targets set removed_at = now()')
    expect((await replay({ from: start_s, to: start_s + 120 })).body).toEqual({ replayed: 3 })
    await app.sql('update notification_targets set removed_at = null')
    await app.sql('update notifications set deleted_at = now()')
    expect((await replay({ from: start_s, to: start_s + 120 })).body).toEqual({ replayed: 0 })
    await app.sql('update notifications set deleted_at = null')
    expect((await replay({ from: start_s, to: start_s + 120 })).body).toEqual({ replayed: 1 })
  })

  it('resets each delivery, with the same id and a new lease', async () => {
    await replay({ from: start_s, to: start_s + 120, number: 7 })
    const [row] = await app.sql('select * from outbox where job_id = $1', [`${ids.failed}0000`])
    expect(row).toMatchObject({ attempts: 0, last_error: null, lease_until: null, lease_no: 3 })
    expect(row).toMatchObject({ payload: { notice: { about: 'test' }, is_replay: true } })
  })

  it('is recorded with the count and the period, unless nothing matched', async () => {
    const input = { from: start_s, to: start_s + 120 }
    await replay(input)
    const events = await app.readEvents('notification_deliveries_replayed')
    expect(events.at(-1)).toMatchObject({
      actor: 'max',
      data: { deliveries: 4, ...input, status: 'failed', number: null, notification_type: null },
    })
    expect((await replay(input)).body).toEqual({ replayed: 0 })
    expect(await app.readEvents('notification_deliveries_replayed')).toHaveLength(events.length)
  })

  it('runs once per Idempotency-Key, and a retry gets the first response', async () => {
    const body = { from: start_s, to: start_s + 120 }
    const replayWithKey = () =>
      app.member.call('POST', '/notification-deliveries/acme/replay', body, { 'idempotency-key': 'range' })
    const answers = await Promise.all(Array.from({ length: 6 }, replayWithKey))
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, { replayed: 4 }])
    await app.sql("update outbox set finished_at = $1, last_error = 'x'", [app.clock.now()])
    expect((await replayWithKey()).body).toEqual({ replayed: 4 })
    expect(await listReplayed()).toEqual([])
  })
})

describe('400', () => {
  it.each([
    [{ from: 2, to: 1 }, 'to', 'Input should not be before `from` [input: 1]'],
    [{ from: 1, to: 2 + 30 * DAY_S }, 'to', 'Input should be at most 30 days after `from` [input: 2592002]'],
  ])('refuses the period %j', async (body, field, sentence) => {
    const answer = await replay(body)
    expect([answer.status, answer.body.errors]).toEqual([400, { [field]: sentence }])
  })

  it.each([
    [{ to: 1 }, 'from'],
    [{ from: 1, to: 1e300 }, 'to'],
    [{ from: 1, to: 2, status: 'pending' }, 'status'],
    [{ from: 1, to: 2, number: 0 }, 'number'],
    [{ from: 1, to: 2, notification_type: 'x' }, 'notification_type'],
  ])('refuses %j', async (body, field) => {
    const answer = await replay(body)
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([400, [field]])
  })

  it('replays ten thousand at once, and none if there are more, returning the count', async () => {
    await app.sql('delete from outbox')
    const addMore = (count: number) =>
      app.sql(
        `insert into outbox (org_id, job_id, kind, payload, created_at, due_at, event_type, finished_at, last_error)
         select org_id, (left($3, 18) || '-8000-' || left(md5($1::text || i), 8) || '0000')::uuid, 'delivery', '{}', $2, $2,
           'TEST', $2, 'x'
         from orgs, generate_series(1, $1::int) i where name = 'acme'`,
        [count, app.clock.now(), ids.late],
      )
    const body = { from: start_s, to: start_s + DAY_S }
    await addMore(10_000)
    await addMore(1)
    const refused = await replay(body)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      '10,001 deliveries match; at most 10,000 can be sent again at once. Narrow the period.',
    ])
    expect(await listReplayed()).toEqual([])
    await app.sql(
      "delete from outbox where ctid = (select ctid from outbox where event_type = 'TEST' limit 1)",
    )
    expect((await replay(body)).body).toEqual({ replayed: 10_000 })
  })
})

describe('403', () => {
  it('for callers who may only read', async () => {
    for (const client of [app.reader, app.snapshotter, app.outsider]) {
      expect((await replay({ from: start_s, to: start_s + 120 }, client)).status).toBe(403)
    }
    expect(await listReplayed()).toEqual([])
  })
})
