import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAttempt, addDelivery } from '../../../test/deliveries.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
let id: string
let start_s: number
beforeAll(async () => {
  app = await startTestApp()
  start_s = app.clock.now().getTime() / 1000
  id = await addDelivery(app, { to: 'ada@example.com', outcome: 'delivered' })
  app.clock.advance(1_000)
  await addAttempt(app, id, { lease_no: 3, error: null, status: 204, answer: 'thank you' })
  app.clock.advance(-1_000)
  await addAttempt(app, id, { lease_no: 1, error: 'The receiver answered 500', status: 500, answer: 'no' })
})
afterAll(() => app.stop())

describe('200', () => {
  it('returns the delivery with its attempts, oldest first', async () => {
    const { status, body } = await app.admin.get(`/notification-deliveries/acme/${id}`)
    expect(status).toBe(200)
    const { attempt_log, ...delivery } = body
    const listed = await app.admin.get('/notification-deliveries/acme')
    expect(delivery).toEqual(listed.body.deliveries[0])
    expect(attempt_log).toEqual([
      {
        attempted_at: start_s,
        duration_ms: 120,
        status: 500,
        error: 'The receiver answered 500',
        answer: 'no',
      },
      { attempted_at: start_s + 1, duration_ms: 120, status: 204, error: null, answer: 'thank you' },
    ])
  })

  it('shows the responses of receivers only to admins', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      const { body, text } = await client.get(`/notification-deliveries/acme/${id}`)
      expect(body.attempt_log.map(({ status }: { status: number }) => status)).toEqual([500, 204])
      expect(body.attempt_log.map(({ answer }: { answer: string }) => answer)).toEqual([null, null])
      expect(text).not.toContain('thank you')
      expect(text).not.toContain('ada@example.com')
    }
  })

  it('has no attempts before the first', async () => {
    const fresh = await addDelivery(app, { to: 'ada@example.com' })
    expect((await app.reader.get(`/notification-deliveries/acme/${fresh}`)).body.attempt_log).toEqual([])
  })
})

describe('404', () => {
  it.each(['019cb35a-7c00-7000-8000-0badc0de', 'nonsense'])('for %s', async unknown => {
    const { status, body } = await app.admin.get(`/notification-deliveries/acme/${unknown}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: 'Delivery not found' })
  })

  it('for a delivery of another organization, and for a job that is not a message', async () => {
    const foreign = await addDelivery(app, { org: 'other-corp', to: 'oscar@example.com' })
    expect((await app.admin.get(`/notification-deliveries/acme/${foreign}`)).status).toBe(404)
    const mail = await addDelivery(app, {})
    await app.sql("update outbox set event_type = null, kind = 'mail' where job_id = $1", [`${mail}0000`])
    expect((await app.admin.get(`/notification-deliveries/acme/${mail}`)).status).toBe(404)
  })
})
