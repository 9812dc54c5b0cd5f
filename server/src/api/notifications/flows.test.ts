import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFlow } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const PATH = '/organizations/acme/flows_notifications'
const HOOK = { type: 'WEBHOOK', webhook: 'https://hooks.example.com/secret-path' }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'gone']) await makeFlow(app, flow)
  await app.member.put('/flows/acme/gone/archive', null)
})
afterAll(() => app.stop())

const makeBody = (name: string, more: object = {}) => ({
  name,
  flows: ['ci'],
  triggers: ['ON_STARTED_TRAIL'],
  targets: [HOOK],
  ...more,
})
const put = (body: unknown, client = app.member) => client.put(PATH, body)

describe('201', () => {
  it('creates one with the next number and records an event', async () => {
    const { status, body } = await put(makeBody('first', { flows: ['ci', 'cd', 'ci'], type: 'flow' }))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'first',
      type: 'flow',
      flows: ['ci', 'cd'],
      triggers: ['ON_STARTED_TRAIL'],
      targets: [{ type: 'WEBHOOK', webhook_origin: 'https://hooks.example.com' }],
      created_by: 'max',
      last_success_timestamp: 0,
      is_failing: false,
      is_created_from_chat_app: false,
    })
    expect((await app.admin.get(`${PATH}/${body.number}`)).body.targets[0].webhook).toBe(HOOK.webhook)
    const event = (await app.readEvents('flow_notification_created')).at(-1)
    expect(event).toMatchObject({ actor: 'max', data: { number: body.number, flows: ['ci', 'cd'] } })
    expect(JSON.stringify(event)).not.toContain('secret-path')
  })

  it('shares its numbers with environment notifications, but is not listed with them', async () => {
    await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
    const about = { environments: ['prod'], triggers: ['ON_COMPLIANT_ENV'], targets: [HOOK] }
    const other = await app.member.put('/organizations/acme/environments_notifications', {
      name: 'environment',
      ...about,
    })
    const { number } = (await put(makeBody('numbered'))).body
    expect(number).toBe(other.body.number + 1)
    const listed = (await app.reader.get('/organizations/acme/environments_notifications')).body
    expect(listed.map((one: { name: string }) => one.name)).toEqual(['environment'])
    expect((await app.reader.get(`/organizations/acme/environments_notifications/${number}`)).status).toBe(
      404,
    )
    expect((await app.reader.get(`${PATH}/${other.body.number}`)).status).toBe(404)
  })

  it('accepts the words of existing clients under their path', async () => {
    const targets = [{ type: 'SLACK', webhook: 'https://chat.example.com/x' }]
    const { status, body } = await app.member.put('/actions/acme/flows', makeBody('branded', { targets }))
    expect(status).toBe(201)
    expect(body.targets[0]).toMatchObject({ type: 'SLACK', neutral_type: 'CHAT' })
    expect(body.is_created_from_slack_app).toBe(false)
  })

  it('sends a test to each target, once', async () => {
    const { number } = (await put(makeBody('tested'))).body
    const { status, body } = await app.member.post(`${PATH}/${number}/test`)
    expect(status).toBe(201)
    expect(body.deliveries).toHaveLength(1)
  })
})

describe('200', () => {
  it('returns an identical one that exists', async () => {
    const first = await put(makeBody('same'))
    const again = await put(makeBody('same'))
    expect([again.status, again.body.number]).toEqual([200, first.body.number])
    expect((await put(makeBody('same', { flows: ['cd'] }))).status).toBe(201)
  })

  it('lists them, newest first, as an array or a page', async () => {
    const { body } = await app.reader.get(PATH)
    const numbers = body.map(({ number }: { number: number }) => number)
    expect(numbers).toEqual(numbers.toSorted((a: number, b: number) => b - a))
    const page = (await app.reader.get(`${PATH}?page=2&per_page=1`)).body
    expect(page.data).toEqual([body[1]])
    expect(page.pagination).toMatchObject({ total: body.length, page: 2, per_page: 1 })
  })

  it('leaves out an archived flow, and shows the new name of a renamed one', async () => {
    for (const flow of ['short-lived', 'renamed']) await makeFlow(app, flow)
    const { number } = (await put(makeBody('names', { flows: ['short-lived', 'renamed'] }))).body
    await app.member.put('/flows/acme/short-lived/archive', null)
    await app.member.put('/flows/acme/renamed/rename', { new_name: 'new-name' })
    expect((await app.reader.get(`${PATH}/${number}`)).body.flows).toEqual(['new-name'])
  })

  it('deletes one, and its number is no longer found', async () => {
    const { number } = (await put(makeBody('deleted'))).body
    const { status, body } = await app.member.delete(`${PATH}/${number}`)
    expect([status, body]).toEqual([200, 'OK'])
    expect((await app.reader.get(`${PATH}/${number}`)).status).toBe(404)
    expect((await app.member.delete(`${PATH}/${number}`)).status).toBe(404)
    expect((await app.readEvents('flow_notification_deleted')).at(-1)).toMatchObject({ data: { number } })
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    await app.reader.get(PATH)
    const all = await recordWaits(app, () => app.reader.get(PATH))
    await put(makeBody('one more'))
    expect(await recordWaits(app, () => app.reader.get(PATH))).toHaveLength(all.length)
  })
})

describe('400', () => {
  it.each<[object, string[]]>([
    [{ flows: [] }, ['flows']],
    [{ flows: ['ci', 'nowhere'] }, ['flows[1]']],
    [{ flows: ['gone'] }, ['flows[0]']],
    [{ triggers: ['ON_COMPLIANT_ENV'] }, ['triggers[0]']],
    [{ triggers: [] }, ['triggers']],
    [{ targets: [] }, ['targets']],
    [{ type: 'env' }, ['type']],
    [{ name: 'two\nlines' }, ['name']],
    [{ environments: ['prod'] }, ['environments']],
  ])('names the field: %j', async (change, fields) => {
    const before = await app.sql('select count(*) from notifications')
    const { status, body } = await put(makeBody('refused', change))
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(fields)
    expect(await app.sql('select count(*) from notifications')).toEqual(before)
  })
})

describe('403', () => {
  it('lets only members change them, and readers read them', async () => {
    expect((await put(makeBody('no'), app.reader)).status).toBe(403)
    expect((await put(makeBody('no'), app.outsider)).status).toBe(403)
    expect((await app.outsider.get(PATH)).status).toBe(403)
    expect((await app.reader.delete(`${PATH}/1`)).status).toBe(403)
  })
})

describe('404', () => {
  it('says which one does not exist', async () => {
    const { status, body } = await app.reader.get(`${PATH}/999`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Notification number 999 does not exist for organization 'acme'" })
    expect((await app.member.post(`${PATH}/999/test`)).status).toBe(404)
  })
})
