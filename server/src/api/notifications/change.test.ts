import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createNotification,
  makeBody,
  makeWebhook,
  ORIGIN,
  startAppWithEnvironments,
} from '../../../test/environment-notifications.ts'
import type { TestApp } from '../../../test/harness.ts'
import { readCurrentTargets, readTargets, updateTarget } from '../../../test/notification-targets.ts'

const PATH = '/organizations/acme/environments_notifications'

let app: TestApp
beforeAll(async () => {
  app = await startAppWithEnvironments()
})
afterAll(() => app.stop())

const create = (name: string, targets: unknown[]) => createNotification(app, name, targets)

describe('a change', () => {
  it('replaces all fields, keeps the number and records an event', async () => {
    const number = await create('before', [makeWebhook('a')])
    app.clock.advance(5000)
    const requested = makeBody('after', [{ type: 'EMAIL', emails: ['a@example.com'] }], {
      environments: ['staging'],
      triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
    })
    const { status, body } = await app.member.put(`${PATH}/${number}`, requested)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...requested, targets: [{ type: 'EMAIL' }], number, created_by: 'ada' })
    expect(body.last_modified_at - body.created_at).toBe(5)
    expect((await app.readEvents('environment_notification_updated')).at(-1)).toEqual({
      kind: 'environment_notification_updated',
      actor: 'max',
      data: {
        number,
        name: 'after',
        environments: ['staging'],
        triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
        targets: [{ type: 'EMAIL', addresses: 1 }],
        changes: ['name', 'environments', 'triggers', 'targets'],
      },
    })
  })

  it('without a difference changes nothing and records nothing', async () => {
    const number = await create('same', [makeWebhook('a'), { type: 'EMAIL', emails: ['a@example.com'] }])
    const { body } = await app.admin.get(`${PATH}/${number}`)
    const eventCount = (await app.readEvents()).length
    app.clock.advance(1000)
    const targets = body.targets.map(
      ({
        is_failing: _f,
        last_error: _e,
        switched_off_at: _o,
        delivery_state: _d,
        paused_until: _u,
        paused_because: _b,
        is_signed: _s,
        webhook_origin: _w,
        neutral_type: _n,
        ...rest
      }: Record<string, unknown>) => rest,
    )
    const again = await app.admin.put(`${PATH}/${number}`, makeBody('same', targets))
    expect([again.status, again.body]).toEqual([200, body])
    expect(await app.readEvents()).toHaveLength(eventCount)
  })

  it('keeps the history of targets with the same address, and their order', async () => {
    const mails = { type: 'EMAIL', emails: ['a@example.com', 'b@example.com'] }
    const number = await create('kept', [makeWebhook('a'), { type: 'CHAT', webhook: `${ORIGIN}/a` }, mails])
    const [first, chat, mail] = await readCurrentTargets(app, number)
    await updateTarget(app, first, `last_success_at = '2026-01-02T03:04:05.5Z'`)
    const swapped = { type: 'EMAIL', emails: ['b@example.com', 'a@example.com'] }
    const { body } = await app.admin.put(
      `${PATH}/${number}`,
      makeBody('kept', [swapped, makeWebhook('new'), makeWebhook('a')]),
    )
    expect(body.last_success_timestamp).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 500) / 1000)
    expect(body.targets).toMatchObject([
      { emails: ['b@example.com', 'a@example.com'] },
      { webhook: `${ORIGIN}/new`, last_success_at: null },
      { webhook: `${ORIGIN}/a`, last_success_at: body.last_success_timestamp },
    ])
    const [newMail, , last] = await readCurrentTargets(app, number)
    expect([newMail?.target_id, last?.target_id]).toEqual([mail?.target_id, first?.target_id])
    const removed = (await readTargets(app, number)).filter(({ removed_at }) => removed_at !== null)
    expect(removed.map(({ target_id }) => target_id)).toEqual([chat?.target_id])
  })

  it('enables disabled targets and leaves failing ones as they are', async () => {
    const number = await create('failing', [makeWebhook('off'), makeWebhook('failing')])
    const [off, failing] = await readCurrentTargets(app, number)
    const failed = `last_failure_at = '2026-01-01T00:00:00Z', last_error = 'why', failing_since = '2026-01-01T00:00:00Z'`
    await updateTarget(app, off, `${failed}, switched_off_at = '2026-01-06T00:00:00Z'`)
    await updateTarget(app, failing, failed)
    const before = (await app.reader.get(`${PATH}/${number}`)).body
    expect(before).toMatchObject({
      is_failing: true,
      targets: [
        { is_failing: true, switched_off_at: Date.UTC(2026, 0, 6) / 1000, last_error: 'why' },
        { is_failing: true, switched_off_at: null, last_failure_at: Date.UTC(2026, 0, 1) / 1000 },
      ],
    })
    const eventCount = (await app.readEvents('environment_notification_updated')).length
    const { body } = await app.member.put(
      `${PATH}/${number}`,
      makeBody('failing', [makeWebhook('off'), makeWebhook('failing')]),
    )
    expect(body.targets).toMatchObject([
      { is_failing: false, switched_off_at: null, last_error: 'why' },
      { is_failing: true },
    ])
    expect(await app.readEvents('environment_notification_updated')).toHaveLength(eventCount + 1)
    const alone = await app.member.put(`${PATH}/${number}`, makeBody('failing', [makeWebhook('off')]))
    expect(alone.body.is_failing).toBe(false)
  })
})

describe('the list', () => {
  it('lists the newest first, without deleted ones', async () => {
    const [one, two] = [
      await create('list-1', [makeWebhook('a')]),
      await create('list-2', [makeWebhook('a')]),
    ]
    const listNumbers = async () =>
      (await app.reader.get(PATH)).body.map(({ number }: { number: number }) => number)
    expect((await listNumbers()).slice(0, 2)).toEqual([two, one])
    expect((await app.member.delete(`${PATH}/${two}`)).body).toBe('OK')
    expect((await listNumbers())[0]).toBe(one)
    expect((await app.outsider.get('/organizations/other-corp/environments_notifications')).body).toEqual([])
  })
})

describe('a deleted one', () => {
  it('is removed with its targets, and its number is not reused', async () => {
    const number = await create('to delete', [makeWebhook('a')])
    expect((await app.member.delete(`${PATH}/${number}`)).status).toBe(200)
    expect((await app.readEvents('environment_notification_deleted')).at(-1)?.data).toMatchObject({
      number,
      name: 'to delete',
      targets: [{ type: 'WEBHOOK', origin: ORIGIN }],
    })
    expect(await readCurrentTargets(app, number)).toEqual([])
    const gone = { message: `Notification number ${number} does not exist for organization 'acme'` }
    const requested = makeBody('x', [makeWebhook('a')], { environments: ['nowhere'] })
    for (const answer of [
      await app.admin.get(`${PATH}/${number}`),
      await app.admin.put(`${PATH}/${number}`, requested),
      await app.admin.delete(`${PATH}/${number}`),
      await app.admin.post(`${PATH}/${number}/test`),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, gone])
    }
    expect(await create('to delete', [makeWebhook('a')])).toBe(number + 1)
  })

  it.each(['0', '-1', 'x', '2147483648', '1.5'])('is not found by %s', async number => {
    const { status, body } = await app.reader.get(`${PATH}/${number}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['number']])
  })
})
