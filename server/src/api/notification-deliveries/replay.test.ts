import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDelivery, addNotification, addTarget } from '../../../test/deliveries.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const replay = (id: string, client = app.member) => client.post(`/notification-deliveries/acme/${id}/replay`)
const findRow = async (id: string) =>
  (await app.sql('select * from outbox where job_id = $1', [`${id}0000`]))[0] ?? {}

describe('200', () => {
  it.each(['failed', 'delivered'] as const)('sends a %s delivery again, under the same id', async outcome => {
    const id = await addDelivery(app, { to: 'ada@example.com', outcome })
    const before = await findRow(id)
    app.clock.advance(60_000)
    const { status, body } = await replay(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      status: 'pending',
      attempts: 0,
      error: null,
      finished_at: null,
      next_attempt_at: app.clock.now().getTime() / 1000,
    })
    expect(await findRow(id)).toEqual({
      ...before,
      finished_at: null,
      last_error: null,
      attempts: 0,
      due_at: app.clock.now(),
      lease_no: 3,
      payload: { ...(before.payload as object), is_replay: true },
    })
  })

  it('sends a delivery that waits for its next attempt now, and the previous lease cannot finish it', async () => {
    const id = await addDelivery(app, { to: 'ada@example.com' })
    const later = new Date(app.clock.now().getTime() + 3_600_000)
    await app.sql(
      "update outbox set attempts = 4, lease_no = 4, due_at = $2, last_error = 'x', lease_until = $3 where job_id = $1",
      [`${id}0000`, later, new Date(app.clock.now().getTime() - 1)],
    )
    expect((await replay(id)).body).toMatchObject({ status: 'pending', attempts: 0, error: null })
    expect(await findRow(id)).toMatchObject({ due_at: app.clock.now(), lease_no: 5, lease_until: null })
  })

  it('does not change a delivery that is being sent', async () => {
    const id = await addDelivery(app, { to: 'ada@example.com' })
    const lease_until = new Date(app.clock.now().getTime() + 60_000)
    await app.sql(
      'update outbox set attempts = 1, lease_no = 1, due_at = $2, lease_until = $2 where job_id = $1',
      [`${id}0000`, lease_until],
    )
    const before = [await findRow(id), await app.readEvents()]
    const { status, body } = await replay(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 'pending', attempts: 1 })
    expect([await findRow(id), await app.readEvents()]).toEqual(before)
  })

  it('is recorded', async () => {
    const id = await addDelivery(app, { to: 'ada@example.com', outcome: 'failed' })
    await replay(id)
    expect((await app.readEvents('notification_deliveries_replayed')).at(-1)).toEqual({
      kind: 'notification_deliveries_replayed',
      actor: 'max',
      data: { deliveries: 1, delivery_id: id },
    })
  })

  it('sends to a target that is switched off', async () => {
    const target_id = await addTarget(app, { notification_id: null, webhook: 'https://hooks.example.com/x' })
    await app.sql('update notification_targets set switched_off_at = $2 where target_id = $1', [
      target_id,
      app.clock.now(),
    ])
    const id = await addDelivery(app, { target_id, outcome: 'failed' })
    expect((await replay(id)).status).toBe(200)
    expect(await findRow(id)).toMatchObject({ finished_at: null, payload: { is_replay: true } })
  })

  it('runs once per Idempotency-Key, even for concurrent retries', async () => {
    const id = await addDelivery(app, { to: 'ada@example.com', outcome: 'failed' })
    const replayWithKey = () =>
      app.member.call('POST', `/notification-deliveries/acme/${id}/replay`, undefined, {
        'idempotency-key': 'replay-once',
      })
    const before = (await app.readEvents()).length
    const answers = await Promise.all(Array.from({ length: 6 }, replayWithKey))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect((await app.readEvents()).length).toBe(before + 1)
    // A retry after the delivery was sent does not send it again.
    await app.sql('update outbox set finished_at = $2 where job_id = $1', [`${id}0000`, app.clock.now()])
    expect((await replayWithKey()).body).toMatchObject({ status: 'delivered' })
  })
})

describe('400', () => {
  it('for a target that was removed, or whose notification was deleted', async () => {
    const message = 'The target of this delivery was removed, so it cannot be sent again'
    for (const change of [
      'update notification_targets set removed_at = now() where target_id = $1',
      `update notifications set deleted_at = now() where notification_id = (
         select notification_id from notification_targets where target_id = $1)`,
    ]) {
      const notification_id = await addNotification(app, Math.ceil(change.length), change.slice(7, 20))
      const target_id = await addTarget(app, { notification_id, webhook: 'https://hooks.example.com/x' })
      const id = await addDelivery(app, { notification_id, target_id, outcome: 'failed' })
      await app.sql(change, [target_id])
      const before = [await findRow(id), await app.readEvents()]
      const answer = await replay(id)
      expect([answer.status, answer.body]).toEqual([400, { message }])
      expect([await findRow(id), await app.readEvents()]).toEqual(before)
    }
  })
})

describe('403', () => {
  it('for callers who may only read', async () => {
    const id = await addDelivery(app, { to: 'ada@example.com', outcome: 'failed' })
    for (const client of [app.reader, app.snapshotter, app.outsider]) {
      expect((await replay(id, client)).status).toBe(403)
    }
    expect(await findRow(id)).toMatchObject({ last_error: 'The receiver answered 500' })
  })
})

describe('404', () => {
  it('for a delivery that is unknown or of another organization', async () => {
    expect((await replay('019cb35a-7c00-7000-8000-0badc0de')).status).toBe(404)
    expect((await replay('nonsense')).status).toBe(404)
    const foreign = await addDelivery(app, { org: 'other-corp', outcome: 'failed' })
    expect((await replay(foreign)).status).toBe(404)
    expect(await findRow(foreign)).toMatchObject({ last_error: 'The receiver answered 500' })
  })
})
