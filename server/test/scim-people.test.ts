// The people behind provisioned users: what an identity provider can do to them, and what it cannot.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertSession } from '../src/api/sessions/store.ts'
import { hashSecret, systemSecrets } from '../src/lib/secrets.ts'
import { type TestApp, testApp } from './harness.ts'
import { type Provider, providerOf } from './scim.ts'

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

let app: TestApp
let idp: Provider
beforeAll(async () => {
  app = await testApp()
  idp = await providerOf(app, app.admin, 'acme')
  await app.sql("update users set email = 'oscar@example.com' where name = 'oscar'")
})
afterAll(() => app.stop())

const roleOf = async (email: string, org = 'acme') =>
  (
    await app.sql(
      `select m.role from users u join memberships m on m.user_id = u.user_id join orgs o on o.org_id = m.org_id
       where u.email = $1 and o.name = $2`,
      [email, org],
    )
  )[0]?.role

const inUse = async (email: string) => {
  const [row] = await app.sql(
    `select u.user_id, u.name,
       (select count(*)::int from sessions s where s.user_id = u.user_id and s.ended_at is null) as sessions,
       (select count(*)::int from personal_keys k where k.user_id = u.user_id and k.revoked_at is null) as keys
     from users u where u.email = $1`,
    [email],
  )
  return row as { user_id: string; name: string; sessions: number; keys: number }
}

/** Signs somebody in and gives them a key: both work. */
async function equip(email: string): Promise<{ key: string; cookie: string }> {
  const { user_id } = await inUse(email)
  const { key, secret_hash, hint } = systemSecrets.newApiKey('user')
  await app.sql(
    `insert into personal_keys (user_id, key_id, secret_hash, hint, description, created_at)
     values ($1, gen_random_uuid(), decode($2, 'hex'), $3, 'x', now())`,
    [user_id, secret_hash, hint],
  )
  const { key: secret } = systemSecrets.newApiKey('ses')
  const now = app.clock.now()
  const session = { user_id, secret_hash: hashSecret(secret), method: 'link' as const, user_agent: '', now }
  await app.db.inTransaction({ signin: true }, async tx => {
    const [row] = await app.sql('select gen_random_uuid() as id')
    const expires_at = new Date(now.getTime() + 3_600_000)
    await insertSession(tx, { ...session, browser_hash: null, session_id: String(row?.id), expires_at })
  })
  return { key, cookie: `__Host-waybill=${secret}` }
}

const statusWith = async ({ key, cookie }: { key: string; cookie: string }) => [
  (await app.clientWith(key).get('/flows/acme')).status,
  (await app.anonymous.call('GET', '/flows/acme', undefined, { cookie })).status,
]

describe('the mail address', () => {
  it('follows the provider while the person has nothing else, and ends what the former one signed in', async () => {
    const { id } = await idp.user('old@example.com')
    const credentials = await equip('old@example.com')
    expect(await statusWith(credentials)).toEqual([200, 200])
    const { user_id } = await inUse('old@example.com')
    await app.sql(
      `insert into sign_in_links (token_hash, user_id, method, next_path, created_at, expires_at)
       values ('x', $1, 'link', '/', now(), now())`,
      [user_id],
    )
    const answer = await idp.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: 'fresh@example.com',
    })
    expect(answer.status).toBe(200)
    expect(await inUse('fresh@example.com')).toMatchObject({ user_id, sessions: 0, keys: 0 })
    expect(await app.sql('select 1 from sign_in_links where redeemed_at is null')).toEqual([])
    expect(await statusWith(credentials)).toEqual([401, 401])
  })

  it('stays when the person signs in elsewhere or has an org of their own', async () => {
    const { id } = await idp.user('mine@example.com')
    const { user_id } = await inUse('mine@example.com')
    await app.sql(
      `insert into identities (issuer, subject, user_id, created_at, last_seen_at)
       values ('https://idp.example', 'mine', $1, now(), now())`,
      [user_id],
    )
    const emails = [{ value: 'thief@example.com', primary: true }]
    expect((await idp.patch(`/Users/${id}`, { op: 'add', value: { emails } })).status).toBe(200)
    expect(await inUse('mine@example.com')).toBeDefined()
    expect(await inUse('thief@example.com')).toBeUndefined()
  })

  it('and the name stay while the person is in another shared org as well', async () => {
    const { id } = await idp.user('shared@example.com', { displayName: 'Bo' })
    const { user_id } = await inUse('shared@example.com')
    await app.sql(
      `insert into memberships (org_id, user_id, role, created_at)
       select org_id, $1, 'reader', now() from orgs where name = 'other-corp'`,
      [user_id],
    )
    const value = { displayName: 'Thief', emails: [{ value: 'thief@example.com', primary: true }] }
    expect((await idp.patch(`/Users/${id}`, { op: 'replace', value })).status).toBe(200)
    expect(await app.sql('select email, display_name from users where user_id = $1', [user_id])).toEqual([
      { email: 'shared@example.com', display_name: 'Bo' },
    ])
  })

  it('of somebody else is refused', async () => {
    const { id } = await idp.user('honest@example.com')
    const answer = await idp.patch(`/Users/${id}`, {
      op: 'replace',
      value: { emails: [{ value: 'oscar@example.com' }] },
    })
    expect([answer.status, answer.body.scimType]).toEqual([409, 'uniqueness'])
    expect((await idp.get(`/Users/${id}`)).body).not.toHaveProperty('emails')
  })
})

describe('deprovisioning', () => {
  it.each<[string, (id: string) => Promise<{ status: number }>]>([
    ['by PATCH', id => idp.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })],
    ['by PATCH without a path', id => idp.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })],
    [
      'by PUT',
      async id => {
        const { body } = await idp.get(`/Users/${id}`)
        return idp.put(`/Users/${id}`, { ...body, active: false })
      },
    ],
    ['by DELETE', id => idp.delete(`/Users/${id}`)],
  ])('%s ends membership, sessions and keys', async (how, leave) => {
    const email = `${how.replaceAll(' ', '-')}@example.com`
    const { id } = await idp.user(email)
    const credentials = await equip(email)
    expect(await statusWith(credentials)).toEqual([200, 200])
    expect([200, 204]).toContain((await leave(id)).status)
    expect(await statusWith(credentials)).toEqual([401, 401])
    expect(await roleOf(email)).toBeUndefined()
    expect(await inUse(email)).toMatchObject({ sessions: 0, keys: 0 })
    const [event] = (await app.events('user_deprovisioned')).slice(-1)
    expect(event?.data).toMatchObject({ user_name: email, revoked_keys: 1 })
    const removed = (await app.events('member_removed')).at(-1)
    expect(removed?.data).toMatchObject({ source: 'scim', previous_role: 'reader' })
    expect((await idp.get(`/Users/${id}`)).status).toBe(how === 'by DELETE' ? 404 : 200)
  })

  it('leaves the keys of somebody who is in another org as well', async () => {
    const { id } = await idp.user('both@example.com')
    const { user_id } = await inUse('both@example.com')
    await app.sql(
      `insert into memberships (org_id, user_id, role, created_at)
       select org_id, $1, 'member', now() from orgs where name = 'other-corp'`,
      [user_id],
    )
    await equip('both@example.com')
    await idp.delete(`/Users/${id}`)
    expect(await inUse('both@example.com')).toMatchObject({ sessions: 0, keys: 1 })
    expect(await roleOf('both@example.com', 'other-corp')).toBe('member')
    expect(await roleOf('both@example.com')).toBeUndefined()
  })

  it('is undone by reactivation, with the role by groups', async () => {
    const user = await idp.user('back@example.com')
    await idp.group('back-members', [user])
    expect(await roleOf('back@example.com')).toBe('member')
    const set = (value: string) => idp.patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value })
    expect((await set('False')).body.active).toBe(false)
    expect(await roleOf('back@example.com')).toBeUndefined()
    expect((await set('True')).body.active).toBe(true)
    expect(await roleOf('back@example.com')).toBe('member')
  })

  it('of the last admin is refused as a whole', async () => {
    await app.sql("update users set email = 'ada@example.com' where name = 'ada'")
    const { id } = await idp.user('ada@example.com')
    for (const answer of [
      await idp.delete(`/Users/${id}`),
      await idp.patch(`/Users/${id}`, { op: 'replace', value: { active: false, title: 'gone' } }),
    ]) {
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual({
        schemas: [ERROR],
        status: '409',
        detail: "The last admin of 'acme' cannot be removed or demoted",
      })
    }
    expect((await idp.get(`/Users/${id}`)).body).toMatchObject({ active: true })
    expect((await idp.get(`/Users/${id}`)).body).not.toHaveProperty('title')
    expect(await roleOf('ada@example.com')).toBe('admin')
  })
})
