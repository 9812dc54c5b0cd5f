import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { NEW_TARGET_STATE } from '../../../test/notification-targets.ts'

const PATH = '/organizations/acme/environments_notifications'
const TOKEN = 'T0K3N-that-nobody-may-see'
const WEBHOOK = `https://hooks.example.com/in/${TOKEN}`
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const BODY = {
  name: 'red',
  type: 'env',
  environments: ['prod'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets: [{ type: 'WEBHOOK', webhook: WEBHOOK }],
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['prod', 'staging', 'gone']) {
    await app.member.put('/environments/acme', { name, type: 'K8S' })
  }
  await app.member.put('/environments/acme/gone/archive')
  await app.outsider.put('/environments/other-corp', { name: 'theirs', type: 'K8S' })
})
afterAll(() => app.stop())

const create = (changes: Record<string, unknown>, client = app.admin) =>
  client.put(PATH, { ...BODY, ...changes })
const createWithTarget = (target: unknown) =>
  create({ targets: [{ type: 'EMAIL', emails: ['a@b.example'] }, target] })
const getNow = () => app.clock.now().getTime() / 1000

describe('201', () => {
  it('returns the record with the next number', async () => {
    const targets = [
      { type: 'WEBHOOK', webhook: WEBHOOK, payload_version: '1.0', secret: SECRET, last_success_at: 5 },
      { type: 'CHAT', webhook: 'https://chat.example.com/hook', context: null, last_failure_at: null },
      { type: 'EMAIL', emails: ['ops@example.com', 'dev@example.com', 'ops@example.com'] },
    ]
    const triggers = ['ON_COMPLIANT_ENV', 'ON_STARTED_ARTIFACT', 'ON_COMPLIANT_ENV']
    const { status, body } = await create({
      name: 'full',
      environments: ['staging', 'prod'],
      triggers,
      targets,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      name: 'full',
      number: body.number,
      type: 'env',
      environments: ['staging', 'prod'],
      triggers: ['ON_COMPLIANT_ENV', 'ON_STARTED_ARTIFACT'],
      targets: [
        {
          type: 'WEBHOOK',
          neutral_type: 'WEBHOOK',
          webhook: WEBHOOK,
          webhook_origin: 'https://hooks.example.com',
          payload_version: '1.0',
          is_signed: true,
          ...NEW_TARGET_STATE,
        },
        {
          type: 'CHAT',
          neutral_type: 'CHAT',
          webhook: 'https://chat.example.com/hook',
          webhook_origin: 'https://chat.example.com',
          ...NEW_TARGET_STATE,
        },
        {
          type: 'EMAIL',
          neutral_type: 'EMAIL',
          emails: ['ops@example.com', 'dev@example.com'],
          ...NEW_TARGET_STATE,
        },
      ],
      created_at: getNow(),
      created_by: 'ada',
      last_modified_at: getNow(),
      last_success_timestamp: 0,
      is_failing: false,
      is_created_from_chat_app: false,
      is_created_from_slack_app: false,
    })
    expect((await app.admin.get(`${PATH}/${body.number}`)).body).toEqual(body)
    expect((await create({ name: 'next' })).body.number).toBe(body.number + 1)
  })

  it('records an event without addresses', async () => {
    const emails = ['a@example.com', 'b@example.com']
    const { body } = await create({ name: 'recorded', targets: [...BODY.targets, { type: 'EMAIL', emails }] })
    const [event] = (await app.readEvents('environment_notification_created')).slice(-1)
    expect(event).toEqual({
      kind: 'environment_notification_created',
      actor: 'ada',
      data: {
        number: body.number,
        name: 'recorded',
        environments: ['prod'],
        triggers: BODY.triggers,
        targets: [
          { type: 'WEBHOOK', origin: 'https://hooks.example.com' },
          { type: 'EMAIL', addresses: 2 },
        ],
      },
    })
  })

  it('accepts targets without a type', async () => {
    const { type: _, ...untyped } = BODY
    const context = { channel_id: 'C1', channel_name: 'alerts', team_id: 'T1' }
    const targets = [{ webhook: WEBHOOK }, { webhook: WEBHOOK, context }, { emails: ['a@example.com'] }]
    const { body } = await app.admin.put(PATH, { ...untyped, name: 'untyped', targets })
    expect(body.type).toBe('env')
    expect(body.targets.map(({ type }: { type: string }) => type)).toEqual(['WEBHOOK', 'CHAT', 'EMAIL'])
    const stored = await app.sql('select context from notification_targets where context is not null')
    expect(stored).toEqual([{ context }])
  })

  it('accepts a duplicate name and a former name of an environment', async () => {
    const first = await create({ name: 'twice' })
    const second = await create({ name: 'twice', triggers: ['ON_EXITED_ARTIFACT'] })
    expect([first.status, second.status]).toEqual([201, 201])
    expect((await app.reader.get(PATH)).body[0]).toMatchObject({ name: 'twice', number: second.body.number })
    await app.member.put('/environments/acme', { name: 'old', type: 'K8S' })
    await app.member.put('/environments/acme/old/rename', { new_name: 'new' })
    const { body } = await create({ name: 'former', environments: ['old', 'new'] })
    expect(body.environments).toEqual(['new'])
    await app.member.put('/environments/acme/new/rename', { new_name: 'newest' })
    expect((await app.reader.get(`${PATH}/${body.number}`)).body.environments).toEqual(['newest'])
  })

  it('numbers concurrent ones without gaps', async () => {
    const [{ number: last }] = (await app.admin.get(PATH)).body
    const made = await Promise.all(Array.from({ length: 32 }, (_, i) => create({ name: `together-${i}` })))
    const numbers = made.map(({ body }) => body.number).sort((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 32 }, (_, i) => last + 1 + i))
  })

  it('lets only members create one, and shows them only the origin', async () => {
    const { status, body } = await create({ name: 'by a member' }, app.member)
    expect(status).toBe(201)
    expect(body.targets[0]).not.toHaveProperty('webhook')
    expect(body.targets[0].webhook_origin).toBe('https://hooks.example.com')
    expect((await create({ name: 'by a reader' }, app.reader)).status).toBe(403)
    expect((await create({ name: 'by a snapshotter' }, app.snapshotter)).status).toBe(403)
  })
})

describe('200', () => {
  it('returns the existing one when sent again, also concurrently', async () => {
    const before = (await app.readEvents('environment_notification_created')).length
    const again = {
      name: 'again',
      environments: ['prod', 'staging'],
      targets: [{ ...BODY.targets[0], secret: SECRET }],
    }
    const answers = await Promise.all(Array.from({ length: 32 }, () => create(again)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(31).fill(200), 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const swapped = await create({ ...again, environments: ['staging', 'prod'] })
    expect([swapped.status, swapped.text]).toEqual([200, answers[0]?.text])
    expect(await app.readEvents('environment_notification_created')).toHaveLength(before + 1)
  })

  it('recognizes a retry by the origin, as a member has read it', async () => {
    const made = await create({ name: 'read' }, app.member)
    const again = await create(
      { name: 'read', targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com' }] },
      app.member,
    )
    expect([again.status, again.body]).toEqual([200, made.body])
  })

  it.each<[string, Record<string, unknown>]>([
    ['another trigger', { triggers: ['ON_COMPLIANT_ENV'] }],
    ['another environment', { environments: ['staging'] }],
    ['another address', { targets: [{ type: 'WEBHOOK', webhook: `${WEBHOOK}/2` }] }],
    ['another type of target', { targets: [{ type: 'CHAT', webhook: WEBHOOK }] }],
    ['another secret', { targets: [{ type: 'WEBHOOK', webhook: WEBHOOK, secret: SECRET }] }],
    ['one target more', { targets: [...BODY.targets, { emails: ['a@example.com'] }] }],
  ])('is not returned for %s', async (what, changes) => {
    await create({ name: `base of ${what}` })
    expect((await create({ name: `base of ${what}`, ...changes })).status).toBe(201)
  })
})

describe('400', () => {
  const FIELD = 'targets[1]'
  it.each<[string, unknown, string, string]>([
    [
      'http',
      { type: 'WEBHOOK', webhook: `http://hooks.example.com/${TOKEN}` },
      '.webhook',
      "String should match pattern '^https://'",
    ],
    [
      'no scheme',
      { type: 'CHAT', webhook: `hooks.example.com/${TOKEN}` },
      '.webhook',
      "String should match pattern '^https://'",
    ],
    ['no scheme and no type', { webhook: TOKEN }, '.webhook', "String should match pattern '^https://'"],
    ['no address', { type: 'WEBHOOK' }, '.webhook', 'Field required [input: None]'],
    ['nothing', {}, '.webhook', 'Field required [input: None]'],
    [
      'an address that is not a string',
      { type: 'CHAT', webhook: [WEBHOOK] },
      '.webhook',
      'Input should be a valid string',
    ],
    ['a text', WEBHOOK, '', 'Input should be a valid dictionary'],
    [
      'an unknown type',
      { type: 'PAGER', webhook: WEBHOOK },
      '.type',
      "Input should be 'CHAT', 'WEBHOOK' or 'EMAIL' [input: PAGER]",
    ],
    [
      'an address for mail',
      { type: 'EMAIL', webhook: WEBHOOK, emails: ['a@b.example'] },
      '.webhook',
      'Extra inputs are not permitted',
    ],
    [
      'an invalid mail address',
      { type: 'EMAIL', emails: ['a@b.example', 'nobody'] },
      '.emails[1]',
      'Input should be a mail address such as ada@example.com',
    ],
    ['no mail addresses', { type: 'EMAIL' }, '.emails', 'Field required [input: None]'],
    [
      'an empty list of mail addresses',
      { type: 'EMAIL', emails: [] },
      '.emails',
      'List should have at least 1 item',
    ],
    [
      'an unknown property',
      { type: 'CHAT', webhook: WEBHOOK, token: TOKEN },
      '.token',
      'Extra inputs are not permitted',
    ],
    [
      'a secret for a chat',
      { type: 'CHAT', webhook: WEBHOOK, secret: SECRET },
      '.secret',
      'Extra inputs are not permitted',
    ],
    [
      'response-only fields',
      { type: 'WEBHOOK', webhook: WEBHOOK, is_signed: true },
      '.is_signed',
      'Extra inputs are not permitted',
    ],
    [
      'another version',
      { type: 'WEBHOOK', webhook: WEBHOOK, payload_version: '2.0' },
      '.payload_version',
      "Input should be '1.0'",
    ],
    [
      'half a context',
      { type: 'CHAT', webhook: WEBHOOK, context: { channel_id: 'C', team_id: 'T' } },
      '.context.channel_name',
      'Field required [input: None]',
    ],
    [
      'loopback',
      { type: 'WEBHOOK', webhook: `https://127.0.0.1/${TOKEN}` },
      '.webhook',
      'Webhook address is not allowed: it must be a public https address',
    ],
    [
      'an inner name',
      { type: 'CHAT', webhook: `https://vault.svc.cluster.local/${TOKEN}` },
      '.webhook',
      'Webhook address is not allowed: it must be a public https address',
    ],
    [
      'an address that programs read in two ways',
      { type: 'WEBHOOK', webhook: `https://010.000.000.001/${TOKEN}` },
      '.webhook',
      'Webhook address is not allowed: it must be a public https address',
    ],
    [
      'a password',
      { type: 'WEBHOOK', webhook: `https://me:${TOKEN}@hooks.example.com/` },
      '.webhook',
      'Webhook address is not allowed: it must be a public https address',
    ],
  ])('names the target and the field: %s', async (_what, target, field, sentence) => {
    const { status, body, text } = await createWithTarget(target)
    expect([status, body.errors]).toEqual([400, { [FIELD + field]: sentence }])
    expect(text).not.toContain(TOKEN)
  })

  it.each([
    'a',
    'a@',
    '@b.example',
    'a@b.example,c@d.example',
    'a@b.example\nbcc: c@d.example',
    'A <a@b.example>',
    '',
  ])('refuses the mail address %j', async email => {
    const { body } = await createWithTarget({ type: 'EMAIL', emails: ['fine@b.example', email] })
    expect(Object.keys(body.errors)).toEqual([`${FIELD}.emails[1]`])
  })

  it.each([
    ['23 bytes', Buffer.alloc(23).toString('base64')],
    ['65 bytes', Buffer.alloc(65).toString('base64')],
    ['66 bytes', Buffer.alloc(66).toString('base64')],
    ['the URL-safe alphabet', Buffer.alloc(30, 0xff).toString('base64url')],
    ['no padding', Buffer.alloc(32).toString('base64').replace('=', '')],
    ['no Base64', 'x'.repeat(33)],
  ])('refuses a secret of %s', async (_what, content) => {
    for (const secret of [`whsec_${content}`, content]) {
      const { body, text } = await createWithTarget({ type: 'WEBHOOK', webhook: WEBHOOK, secret })
      expect(body.errors).toEqual({
        [`${FIELD}.secret`]: expect.stringMatching(/^String should match pattern '\^whsec_/),
      })
      expect(text).not.toContain(content)
    }
  })

  it('accepts secrets of 24 to 64 bytes', async () => {
    for (const bytes of [24, 25, 26, 32, 61, 62, 63, 64]) {
      const secret = `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`
      const { status } = await create({ name: `of ${bytes} bytes`, targets: [{ webhook: WEBHOOK, secret }] })
      expect(status, String(bytes)).toBe(201)
    }
  })

  it('reports every bad target', async () => {
    const { body } = await create({
      targets: [{ webhook: 'http://a.example' }, { emails: ['x'] }, { type: 'X' }],
    })
    expect(Object.keys(body.errors)).toEqual([
      'targets[0].webhook',
      'targets[1].emails[0]',
      'targets[2].type',
    ])
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no targets', { targets: [] }, 'targets'],
    ['21 targets', { targets: Array(21).fill(BODY.targets[0]) }, 'targets'],
    ['targets that are no list', { targets: WEBHOOK }, 'targets'],
    ['no triggers', { triggers: [] }, 'triggers'],
    ['an unknown trigger', { triggers: ['ON_COMPLIANT_ENV', 'ON_MONDAY'] }, 'triggers[1]'],
    ['no environments', { environments: [] }, 'environments'],
    ['101 environments', { environments: Array(101).fill('prod') }, 'environments'],
    ['no name', { name: '' }, 'name'],
    ['a long name', { name: 'x'.repeat(256) }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['another type', { type: 'flow' }, 'type'],
    ['an address beside the targets', { webhook: WEBHOOK }, 'webhook'],
  ])('names the field: %s', async (_what, changes, field) => {
    const { status, body, text } = await create(changes)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(text).not.toContain(TOKEN)
  })

  it('names the environments that do not exist', async () => {
    const { status, body } = await create({ environments: ['prod', 'nowhere', 'gone', 'theirs'] })
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      'environments[1]': "Environment named 'nowhere' does not exist for organization 'acme'",
      'environments[2]': "Environment named 'gone' has been archived for organization 'acme'",
      'environments[3]': "Environment named 'theirs' does not exist for organization 'acme'",
    })
  })
})

it('stores no address and no secret in clear text', async () => {
  const tables = ['notification_targets', 'notifications', 'events', 'outbox', 'idempotency_keys']
  for (const table of tables) {
    const rows = JSON.stringify(await app.sql(`select to_jsonb(t)::text as row from ${table} t`))
    expect(rows, table).not.toContain(TOKEN)
    expect(rows, table).not.toContain(SECRET.slice(6))
  }
  expect(
    (await app.sql('select count(*)::int as n from notification_targets where webhook_sealed is not null'))[0]
      ?.n,
  ).toBeGreaterThan(10)
})
