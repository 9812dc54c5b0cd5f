// The caller's own keys: the same life as those of service accounts, seen by nobody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApp, testApp } from '../../../test/harness.ts'
import { applySetUp } from '../../admin/apply.ts'
import { withOwnerTransaction } from '../../db/owner.ts'
import { makeIds } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

const NO_KEY = { message: 'API key not found' }
const HOUR_MS = 3_600_000
const KEYS = '/user/api-keys'

let app: TestApp
/** Somebody without a personal org, and a service account. */
let homeless: Client
let robot: Client
beforeAll(async () => {
  app = await testApp()
  const [person, account] = [systemSecrets.createToken('user').key, systemSecrets.createToken('svc').key]
  await withOwnerTransaction(app.owner, tx =>
    applySetUp(
      { tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes: [] },
      {
        users: [{ name: 'hanna', personal_org: false, api_keys: [{ secret: person }] }],
        orgs: [
          {
            name: 'acme',
            members: [{ user: 'hanna', role: 'admin' }],
            service_accounts: [{ name: 'robot', privilege: 'admin', api_keys: [{ secret: account }] }],
          },
        ],
      },
    ),
  )
  homeless = app.clientWith(person)
  robot = app.clientWith(account)
})
afterAll(() => app.stop())

const now = () => app.clock.now().getTime() / 1000
const make = async (client: Client = app.member, body: object = {}) =>
  (await client.post(KEYS, { description: 'laptop', ...body })).body
const ids = async (client: Client = app.member) =>
  (await client.get(KEYS)).body.map(({ id }: { id: string }) => id)
const readStatus = async (key: string) => (await app.clientWith(key).get('/flows/acme')).status

describe('a new key', () => {
  it('is shown once, acts with the role of its owner, and is recorded in the personal org', async () => {
    const { status, body } = await app.member.post(KEYS, { description: 'laptop' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^wb_user_/),
      description: 'laptop',
      created_at: now(),
      expires_at: 0,
    })
    expect(await readStatus(body.key)).toBe(200)
    const recorded = await app.sql(
      `select o.name as org, e.actor, e.data from events e join orgs o using (org_id)
       where e.kind = 'api_key_created'`,
    )
    const hint = body.key.slice(0, body.key.lastIndexOf('_'))
    const data = { owner: 'max', key_id: body.id, hint, description: 'laptop', expires_at: 0 }
    expect(recorded).toEqual([{ org: 'max', actor: 'max', data }])
    const one = (await app.member.get(`${KEYS}/${body.id}`)).body
    expect(one).toMatchObject({ id: body.id, hint, expires_at: 0 })
    expect((await app.member.get(KEYS)).body).toContainEqual(one)
  })

  it('is seen and changed by nobody else', async () => {
    const { id, key } = await make()
    for (const client of [app.admin, app.outsider, homeless]) {
      expect(await ids(client)).not.toContain(id)
      expect((await client.get(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
      expect((await client.delete(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
      expect((await client.post(`${KEYS}/${id}/rotate`, {})).body).toEqual(NO_KEY)
    }
    expect(await readStatus(key)).toBe(200)
  })

  it('is refused a second time under the same name, also without a personal org', async () => {
    for (const client of [app.member, homeless]) {
      const named = { 'idempotency-key': 'mine-once' }
      const send = (description: string) => client.call('POST', KEYS, { description }, named)
      expect((await send('one')).status).toBe(201)
      const before = await ids(client)
      expect((await send('one')).status).toBe(409)
      expect((await send('two')).status).toBe(422)
      expect(await ids(client)).toEqual(before)
    }
  })

  it.each([{}, { description: '' }, { description: 'x', expires_at: 1 }])(
    'is refused with 400 as %j',
    async body => {
      expect((await app.member.post(KEYS, body)).status).toBe(400)
    },
  )
})

describe('rotating', () => {
  it('keeps the old key until the grace period ends', async () => {
    const old = await make()
    const { status, body } = await app.member.post(`${KEYS}/${old.id}/rotate`, { grace_period_hours: 2 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ description: 'laptop', grace_period_expires_at: now() + 7200 })
    app.clock.advance(2 * HOUR_MS - 1)
    expect([await readStatus(old.key), await readStatus(body.key)]).toEqual([200, 200])
    app.clock.advance(1)
    expect([await readStatus(old.key), await readStatus(body.key)]).toEqual([401, 200])
    expect((await app.member.post(`${KEYS}/${old.id}/rotate`, {})).body).toEqual(NO_KEY)
    const [event] = await app.events('api_key_rotated')
    expect(event?.data).toMatchObject({ owner: 'max', key_id: body.id, replaced_key_id: old.id })
  })

  it('makes one key, however many ask', async () => {
    const { id } = await make()
    const before = await ids()
    const racers = Array.from({ length: 16 }, () => app.member.post(`${KEYS}/${id}/rotate`, {}))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(15).fill(404)])
    expect(await ids()).toHaveLength(before.length + 1)
  })

  it('leaves nothing behind when it fails, and says so', async () => {
    const { id, key } = await make()
    const before = await ids()
    await app.sql(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await app.sql('create trigger fail before update on personal_keys for each row execute function fail()')
    const { status, body } = await app.member.post(`${KEYS}/${id}/rotate`, {})
    await app.sql('drop function fail cascade')
    expect(status).toBe(503)
    expect(body.message).toContain('whole or not at all')
    expect(await ids()).toEqual(before)
    expect(await readStatus(key)).toBe(200)
  })
})

describe('revoking', () => {
  it('counts at once, also for the key that asks', async () => {
    const { id, key } = await make()
    const itself = app.clientWith(key)
    const { status, body } = await itself.delete(`${KEYS}/${id}`)
    expect([status, body]).toEqual([200, 'revoked'])
    expect((await itself.get(KEYS)).status).toBe(401)
    expect((await app.member.delete(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
    const events = (await app.events('api_key_revoked')).filter(({ data }) => data.key_id === id)
    expect(events).toMatchObject([{ actor: 'max', data: { owner: 'max', description: 'laptop' } }])
  })

  it('lets one of 32 be the one', async () => {
    const { id } = await make()
    const racers = Array.from({ length: 32 }, () => app.member.delete(`${KEYS}/${id}`))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(31).fill(404)])
  })
})

describe('somebody without a personal org', () => {
  it('has keys like everybody, and no history', async () => {
    const before = await app.events()
    const { id, key } = await make(homeless)
    expect(await readStatus(key)).toBe(200)
    expect((await homeless.post(`${KEYS}/${id}/rotate`, {})).status).toBe(201)
    expect((await homeless.delete(`${KEYS}/${id}`)).status).toBe(200)
    expect(await readStatus(key)).toBe(401)
    expect(await app.events()).toEqual(before)
  })
})

describe('403', () => {
  it('is what service accounts are answered', async () => {
    const { id } = await make()
    for (const answer of [
      await robot.get(KEYS),
      await robot.post(KEYS, { description: 'x' }),
      await robot.get(`${KEYS}/${id}`),
      await robot.delete(`${KEYS}/${id}`),
      await robot.post(`${KEYS}/${id}/rotate`, {}),
    ]) {
      expect(answer.status).toBe(403)
      expect(answer.body).toEqual({ message: "You don't have permission to access this resource" })
    }
  })
})
