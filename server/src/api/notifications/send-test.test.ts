import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createNotification,
  makeWebhook,
  ORIGIN,
  startAppWithEnvironments,
} from '../../../test/environment-notifications.ts'
import type { TestApp } from '../../../test/harness.ts'
import { readCurrentTargets, updateTarget } from '../../../test/notification-targets.ts'

const PATH = '/organizations/acme/environments_notifications'

let app: TestApp
beforeAll(async () => {
  app = await startAppWithEnvironments()
})
afterAll(() => app.stop())

const create = (name: string, targets: unknown[]) => createNotification(app, name, targets)

describe('a test', () => {
  const listJobs = (number: number) =>
    app.sql(
      `select o.*, t.type, t.position from outbox o join notifications n using (org_id, notification_id)
       join notification_targets t on t.org_id = o.org_id and t.target_id = o.target_id
       where n.number = $1 order by o.job_id`,
      [number],
    )

  it('is a delivery to each target, including a disabled one', async () => {
    const number = await create('tested', [makeWebhook('a'), { type: 'EMAIL', emails: ['a@example.com'] }])
    const [first] = await readCurrentTargets(app, number)
    await updateTarget(app, first, 'switched_off_at = created_at, failing_since = created_at')
    const { status, body } = await app.member.post(`${PATH}/${number}/test`)
    expect(status).toBe(201)
    const rows = await listJobs(number)
    expect(body).toEqual({ deliveries: rows.map(({ job_id }) => String(job_id).slice(0, 32)) })
    const notice = {
      about: 'test',
      event_type: 'TEST',
      org: 'acme',
      happened_at: app.clock.now().getTime() / 1000,
      asked_by: 'max',
      notification: { number, name: 'tested' },
    }
    expect(rows).toMatchObject([
      { kind: 'delivery', event_type: 'TEST', type: 'WEBHOOK', payload: { notice } },
      { kind: 'delivery', event_type: 'TEST', type: 'EMAIL', payload: { notice } },
    ])
    expect((await app.readEvents('notification_test_sent')).at(-1)).toEqual({
      kind: 'notification_test_sent',
      actor: 'max',
      data: {
        number,
        name: 'tested',
        targets: [
          { type: 'WEBHOOK', origin: ORIGIN },
          { type: 'EMAIL', addresses: 1 },
        ],
      },
    })
    expect((await app.reader.post(`${PATH}/${number}/test`)).status).toBe(403)
  })

  it('is sent once under an Idempotency-Key', async () => {
    const number = await create('tested once', [makeWebhook('a')])
    const post = (key: string) =>
      app.member.call('POST', `${PATH}/${number}/test`, undefined, { 'idempotency-key': key })
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('once')))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await listJobs(number)).toHaveLength(1)
    app.clock.advance(60_000)
    expect((await post('once')).text).toBe(answers[0]?.text)
    expect((await post('twice')).text).not.toBe(answers[0]?.text)
    expect(await listJobs(number)).toHaveLength(2)
    const other = await create('tested not', [makeWebhook('b')])
    const refused = await app.member.call('POST', `${PATH}/${other}/test`, undefined, {
      'idempotency-key': 'once',
    })
    expect(refused.status).toBe(422)
  })
})
