// The caller's own keys: they behave like those of service accounts, but nobody else sees them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { applySetUp } from '../../admin/apply.ts'
import { withOwnerTransaction } from '../../db/owner.ts'
import { makeIds } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

const NO_KEY = { message: 'API key not found' }
const HOUR_MS = 3_600_000
const KEYS = '/user/api-keys'

let app: TestApp
/** A person without a personal organization, and a service account. */
let withoutOrg: Client
let robot: Client
beforeAll(async () => {
  app = await startTestApp()
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
  withoutOrg = app.makeClientWith(person)
  robot = app.makeClientWith(account)
})
afterAll(() => app.stop())

const getNow = () => app.clock.now().getTime() / 1000
const createKey = async (client: Client = app.member, body: object = {}) =>
  (await client.post(KEYS, { description: 'laptop', ...body })).body
const listIds = async (client: Client = app.member) =>
  (await client.get(KEYS)).body.map(({ id }: { id: string }) => id)
const readStatus = async (key: string) => (await app.makeClientWith(key).get('/flows/acme')).status

describe('a new key', () => {
  it('is shown once, acts with the role of its owner, and is recorded in the personal org', async () => {
    const { status, body } = await app.member.post(KEYS, { description: 'laptop' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^wb_user_/),
      description: 'laptop',
      created_at: getNow(),
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

  it('cannot be seen or changed by anyone else', async () => {
    const { id, key } = await createKey()
    for (const client of [app.admin, app.outsider, withoutOrg]) {
      expect(await listIds(client)).not.toContain(id)
      expect((await client.get(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
      expect((await client.delete(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
      expect((await client.post(`${KEYS}/${id}/rotate`, {})).body).toEqual(NO_KEY)
    }
    expect(await readStatus(key)).toBe(200)
  })

  it('is refused a second time with the same idempotency key, also without a personal org', async () => {
    for (const client of [app.member, withoutOrg]) {
      const named = { 'idempotency-key': 'mine-once' }
      const send = (description: string) => client.call('POST', KEYS, { description }, named)
      expect((await send('one')).status).toBe(201)
      const before = await listIds(client)
      expect((await send('one')).status).toBe(409)
      expect((await send('two')).status).toBe(422)
      expect(await listIds(client)).toEqual(before)
    }
  })

  it.each([{}, { description: '' }, { description: 'x', expires_at: 1 }])(
    'is refused with 400 for %j',
    async body => {
      expect((await app.member.post(KEYS, body)).status).toBe(400)
    },
  )
})

describe('rotating', () => {
  it('keeps the old key until the grace period ends', async () => {
    const old = await createKey()
    const { status, body } = await app.member.post(`${KEYS}/${old.id}/rotate`, { grace_period_hours: 2 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ description: 'laptop', grace_period_expires_at: getNow() + 7200 })
    const again = await app.member.post(`${KEYS}/${old.id}/rotate`, {})
    expect(again.status).toBe(409)
    expect(again.body.message).toContain(`key '${body.id}' replaces it`)
    app.clock.advance(2 * HOUR_MS - 1)
    expect([await readStatus(old.key), await readStatus(body.key)]).toEqual([200, 200])
    app.clock.advance(1)
    expect([await readStatus(old.key), await readStatus(body.key)]).toEqual([401, 200])
    expect((await app.member.post(`${KEYS}/${old.id}/rotate`, {})).body).toEqual(NO_KEY)
    const [event] = await app.readEvents('api_key_rotated')
    expect(event?.data).toMatchObject({ owner: 'max', key_id: body.id, replaced_key_id: old.id })
  })

  it('creates one key for concurrent requests', async () => {
    const { id } = await createKey()
    const before = await listIds()
    const racers = Array.from({ length: 16 }, () => app.member.post(`${KEYS}/${id}/rotate`, {}))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(15).fill(409)])
    expect(await listIds()).toHaveLength(before.length + 1)
  })

  it('changes nothing if it fails, and reports that', async () => {
    const { id, key } = await createKey()
    const before = await listIds()
    await app.sql(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await app.sql('create trigger fail before update on personal_keys for each row execute function fail()')
    const { status, body } = await app.member.post(`${KEYS}/${id}/rotate`, {})
    await app.sql('drop function fail cascade')
    expect(status).toBe(503)
    expect(body.message).toContain('whole or not at all')
    expect(await listIds()).toEqual(before)
    expect(await readStatus(key)).toBe(200)
  })
})

describe('revoking', () => {
  it('takes effect at once, also for the key that sends the request', async () => {
    const { id, key } = await createKey()
    const itself = app.makeClientWith(key)
    const { status, body } = await itself.delete(`${KEYS}/${id}`)
    expect([status, body]).toEqual([200, 'revoked'])
    expect((await itself.get(KEYS)).status).toBe(401)
    expect((await app.member.delete(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
    const events = (await app.readEvents('api_key_revoked')).filter(({ data }) => data.key_id === id)
    expect(events).toMatchObject([{ actor: 'max', data: { owner: 'max', description: 'laptop' } }])
  })

  it('succeeds for one of 32 concurrent requests', async () => {
    const { id } = await createKey()
    const racers = Array.from({ length: 32 }, () => app.member.delete(`${KEYS}/${id}`))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(31).fill(404)])
  })
})

describe('a person without a personal org', () => {
  it('has keys like everyone else, but no recorded events', async () => {
    const before = await app.readEvents()
    const { id, key } = await createKey(withoutOrg)
    expect(await readStatus(key)).toBe(200)
    expect((await withoutOrg.post(`${KEYS}/${id}/rotate`, {})).status).toBe(201)
    expect((await withoutOrg.delete(`${KEYS}/${id}`)).status).toBe(200)
    expect(await readStatus(key)).toBe(401)
    expect(await app.readEvents()).toEqual(before)
  })
})

describe('403', () => {
  it('is returned to service accounts', async () => {
    const { id } = await createKey()
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
