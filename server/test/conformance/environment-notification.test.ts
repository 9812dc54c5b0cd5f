// The fields of an environment notification, as the list returns them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment } from '../environments.ts'
import { startTestApp, type TestApp, type TestResponse } from '../harness.ts'
import { CHAT, HOOK, MAIL, makeNotification } from '../notifications.ts'
import { expectKind, type Kind } from './fields.ts'

const PATH = '/organizations/acme/environments_notifications'

let app: TestApp
let listed: TestResponse
beforeAll(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
  await makeNotification(app, {
    name: 'changes',
    environments: ['prod'],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: [CHAT, HOOK, MAIL],
  })
  listed = await app.reader.get(PATH)
})
afterAll(() => app.stop())

describe('a listed notification', () => {
  it.each<[string, Kind]>([
    ['name', 'a string'],
    ['number', 'an integer'],
    ['type', 'a string'],
    ['environments', 'an array of strings'],
    ['triggers', 'an array of strings'],
    ['targets', 'an array of objects'],
    ['created_at', 'a number'],
    ['created_by', 'a string'],
    ['last_modified_at', 'a number'],
    ['last_success_timestamp', 'a number'],
    ['is_failing', 'a boolean'],
    ['is_created_from_chat_app', 'a boolean'],
  ])('has %s, %s', async (field, kind) => {
    expect([listed.status, listed.body.length]).toEqual([200, 1])
    expectKind(listed.body[0], field, kind)
    const document = (await app.anonymous.get('/openapi.json')).body
    expect(document.components.schemas.EnvironmentNotification.required).toContain(field)
  })

  it('is of type env', () => expect(listed.body[0].type).toBe('env'))

  it('has the names of its environments', () => expect(listed.body[0].environments).toEqual(['prod']))

  it('has targets of all three types', () => {
    const types = listed.body[0].targets.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['CHAT', 'WEBHOOK', 'EMAIL'])
  })

  it.each([
    'ON_STARTED_ARTIFACT',
    'ON_EXITED_ARTIFACT',
    'ON_SCALED_ARTIFACT',
    'ON_ALLOWED_ARTIFACT',
    'ON_NON_COMPLIANT_ENV',
    'ON_COMPLIANT_ENV',
  ] as const)('can have the trigger %s', async trigger => {
    const { number } = await makeNotification(app, { environments: ['prod'], triggers: [trigger] })
    expect((await app.reader.get(`${PATH}/${number}`)).body.triggers).toEqual([trigger])
  })

  it('has no other trigger', async () => {
    const body = { name: 'x', type: 'env', environments: ['prod'], triggers: ['ON_FRIDAY'], targets: [MAIL] }
    const { status, body: answer } = await app.member.put(PATH, body)
    expect([status, Object.keys(answer.errors)]).toEqual([400, ['triggers[0]']])
  })
})
