import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { readCurrentTargets, readTargets, updateTarget } from '../../../test/notification-targets.ts'
import { makeFlow } from '../../../test/reports.ts'
import { listStatements } from '../../../test/statement-log.ts'

const PATH = '/organizations/acme/flows_notifications'
const ORIGIN = 'https://hooks.example.com'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'docs']) await makeFlow(app, flow)
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
})
afterAll(() => app.stop())

const webhook = (path: string, more: object = {}) => ({
  type: 'WEBHOOK',
  webhook: `${ORIGIN}/${path}`,
  ...more,
})
const makeBody = (name: string, more: object = {}) => ({
  name,
  flows: ['ci'],
  triggers: ['ON_STARTED_TRAIL'],
  targets: [webhook('a')],
  ...more,
})
const create = async (name: string, more: object = {}): Promise<number> =>
  (await app.admin.put(PATH, makeBody(name, more))).body.number
const change = (number: number, body: unknown, client = app.admin) => client.put(`${PATH}/${number}`, body)
const listUpdates = () => app.readEvents('flow_notification_updated')

describe('200', () => {
  it('replaces all fields, keeps the number and records an event', async () => {
    const number = await create('before')
    app.clock.advance(5000)
    const input = makeBody('after', {
      flows: ['docs', 'cd', 'docs'],
      triggers: ['ON_RELEASE', 'ON_APPROVAL'],
      targets: [{ type: 'EMAIL', emails: ['a@example.com'] }],
    })
    const { status, body } = await change(number, input, app.member)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...input, type: 'flow', flows: ['docs', 'cd'], number, created_by: 'ada' })
    expect(body.last_modified_at - body.created_at).toBe(5)
    expect((await app.reader.get(`${PATH}/${number}`)).body.flows).toEqual(['docs', 'cd'])
    expect((await listUpdates()).at(-1)).toEqual({
      kind: 'flow_notification_updated',
      actor: 'max',
      data: {
        number,
        name: 'after',
        flows: ['docs', 'cd'],
        triggers: ['ON_RELEASE', 'ON_APPROVAL'],
        targets: [{ type: 'EMAIL', addresses: 1 }],
        changes: ['name', 'flows', 'triggers', 'targets'],
      },
    })
  })

  it('writes and records nothing if nothing changes', async () => {
    const number = await create('same', { flows: ['ci', 'cd'] })
    const { body } = await app.admin.get(`${PATH}/${number}`)
    const eventCount = (await app.readEvents()).length
    app.clock.advance(1000)
    const again = await change(number, makeBody('same', { flows: ['ci', 'cd'] }))
    expect([again.status, again.body]).toEqual([200, body])
    expect(await app.readEvents()).toHaveLength(eventCount)
  })

  it('keeps the flows in the order in which they were sent; a new order is a change', async () => {
    const number = await create('order', { flows: ['ci', 'cd', 'docs'] })
    const { body } = await change(number, makeBody('order', { flows: ['docs', 'ci', 'cd'] }))
    expect(body.flows).toEqual(['docs', 'ci', 'cd'])
    expect((await listUpdates()).at(-1)?.data).toMatchObject({ number, changes: ['flows'] })
  })

  it('keeps the history and the secret of targets with the same address', async () => {
    const number = await create('kept', { targets: [webhook('a', { secret: SECRET }), webhook('b')] })
    const [signed, other] = await readCurrentTargets(app, number)
    await updateTarget(app, signed, `last_success_at = '2026-01-02T03:04:05Z'`)
    const { body } = await change(number, makeBody('kept', { targets: [webhook('new'), webhook('a')] }))
    expect(body.targets).toMatchObject([
      { webhook: `${ORIGIN}/new`, is_signed: false, last_success_at: null },
      { webhook: `${ORIGIN}/a`, is_signed: true, last_success_at: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000 },
    ])
    const [, kept] = await readCurrentTargets(app, number)
    expect(kept).toMatchObject({ target_id: signed?.target_id, secret: SECRET })
    const removed = (await readTargets(app, number)).filter(({ removed_at }) => removed_at !== null)
    expect(removed.map(({ target_id }) => target_id)).toEqual([other?.target_id])
    expect(JSON.stringify((await listUpdates()).at(-1))).not.toContain(`${ORIGIN}/`)
  })

  it('accepts a former name and keeps a flow that was archived since', async () => {
    for (const flow of ['old-name', 'resting']) await makeFlow(app, flow)
    const number = await create('names', { flows: ['old-name', 'resting'] })
    await app.member.put('/flows/acme/old-name/rename', { new_name: 'new-name' })
    await app.member.put('/flows/acme/resting/archive', null)
    const eventCount = (await listUpdates()).length
    expect((await change(number, makeBody('names', { flows: ['old-name'] }))).body.flows).toEqual([
      'new-name',
    ])
    expect(await listUpdates()).toHaveLength(eventCount)
    const { body } = await change(number, makeBody('names', { flows: ['cd', 'old-name'] }))
    expect(body.flows).toEqual(['cd', 'new-name'])
    await app.member.put('/flows/acme/resting/unarchive', null)
    const { flows } = (await app.reader.get(`${PATH}/${number}`)).body
    expect(flows.toSorted()).toEqual(['cd', 'new-name', 'resting'])
  })

  it('returns both spellings to clients that send the words of existing clients', async () => {
    const number = await create('branded')
    const targets = [{ type: 'SLACK', webhook: 'https://chat.example.com/x' }]
    const { body } = await change(number, makeBody('branded', { targets }))
    expect(body.targets[0]).toMatchObject({ type: 'SLACK', neutral_type: 'CHAT' })
    expect([body.is_created_from_chat_app, body.is_created_from_slack_app]).toEqual([false, false])
  })

  it('runs as many statements for many flows as for one', async () => {
    const number = await create('counted')
    const few = await listStatements(app, () => change(number, makeBody('counted', { flows: ['cd'] })))
    const many = await listStatements(app, () =>
      change(number, makeBody('counted', { flows: ['docs', 'ci', 'cd'] })),
    )
    expect(many).toHaveLength(few.length)
  })
})

describe('400', () => {
  it.each<[object, string[]]>([
    [{ flows: [] }, ['flows']],
    [{ flows: ['ci', 'nowhere'] }, ['flows[1]']],
    [{ triggers: ['ON_COMPLIANT_ENV'] }, ['triggers[0]']],
    [
      { targets: [webhook('a'), { type: 'WEBHOOK', webhook: 'https://127.0.0.1/x' }] },
      ['targets[1].webhook'],
    ],
    [{ type: 'env' }, ['type']],
    [{ environments: ['prod'] }, ['environments']],
  ])('names the field and changes nothing: %j', async (wrong, fields) => {
    const number = await create('refused')
    const before = (await app.admin.get(`${PATH}/${number}`)).body
    const { status, body } = await change(number, makeBody('otherwise', wrong))
    expect([status, Object.keys(body.errors)]).toEqual([400, fields])
    expect((await app.admin.get(`${PATH}/${number}`)).body).toEqual(before)
  })
})

describe('403', () => {
  it('refuses readers and outsiders', async () => {
    const number = await create('of members')
    expect((await change(number, makeBody('no'), app.reader)).status).toBe(403)
    expect((await change(number, makeBody('no'), app.outsider)).status).toBe(403)
  })
})

describe('404', () => {
  it.each([
    ['a flow that does not exist', { flows: ['nowhere'] }],
    ['an address that is not allowed', { targets: [{ type: 'WEBHOOK', webhook: 'https://127.0.0.1/x' }] }],
  ])('is returned before checking %s', async (_what, wrong) => {
    const { status, body } = await change(999, makeBody('x', wrong))
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Notification number 999 does not exist for organization 'acme'" })
  })

  it('is returned for a deleted one and for an environment notification', async () => {
    const number = await create('deleted')
    await app.member.delete(`${PATH}/${number}`)
    expect((await change(number, makeBody('x'))).status).toBe(404)
    const about = { environments: ['prod'], triggers: ['ON_COMPLIANT_ENV'], targets: [webhook('a')] }
    const path = '/organizations/acme/environments_notifications'
    const other = (await app.admin.put(path, { name: 'environment', ...about })).body
    expect((await change(other.number, makeBody('x'))).status).toBe(404)
    expect((await app.admin.get(`${path}/${other.number}`)).body).toEqual(other)
  })
})
