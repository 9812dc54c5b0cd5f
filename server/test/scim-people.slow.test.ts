// The people behind provisioned users: what a directory can and cannot do to them. It makes people members if its
// organization has proved their mail domain; it invites everyone else, and learns nothing about them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertSession } from '../src/api/sessions/store.ts'
import { hashSecret, systemSecrets } from '../src/lib/secrets.ts'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson, listQueuedMails, tokenFor } from './people.ts'
import { makeProvider, type Provider, proveDomains } from './scim.ts'

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

let app: TestApp
/** The provider of an organization that has proved `proved.example`. */
let idp: Provider
/** The provider of another organization, which has proved no domain. */
let stranger: Provider
beforeAll(async () => {
  app = await startTestApp()
  idp = await makeProvider(app, app.admin, ORG)
  stranger = await makeProvider(app, app.outsider, OTHER_ORG)
  await proveDomains(app, ORG, 'proved.example')
})
afterAll(() => app.stop())

const readRole = async (email: string, org = ORG) =>
  (
    await app.sql(
      `select m.role from users u join memberships m on m.user_id = u.user_id join orgs o on o.org_id = m.org_id
       where u.email = $1 and o.name = $2`,
      [email, org],
    )
  )[0]?.role

/** Data that belongs to a person and not to an organization. */
const readPerson = async (email: string) => {
  const [row] = await app.sql(
    `select u.user_id, u.name, u.display_name, u.deactivated_at,
       (select count(*)::int from sessions s where s.user_id = u.user_id and s.ended_at is null) as sessions,
       (select count(*)::int from personal_keys k where k.user_id = u.user_id and k.revoked_at is null) as keys
     from users u where u.email = $1`,
    [email],
  )
  return row as { user_id: string; name: string; sessions: number; keys: number } | undefined
}

/** Creates a session and a key for a person. */
async function addCredentials(email: string): Promise<{ key: string; cookie: string }> {
  const user_id = (await readPerson(email))?.user_id ?? ''
  const { key, secret_hash, hint } = systemSecrets.createToken('user')
  await app.sql(
    `insert into personal_keys (user_id, key_id, secret_hash, hint, description, created_at)
     values ($1, gen_random_uuid(), decode($2, 'hex'), $3, 'x', now())`,
    [user_id, secret_hash, hint],
  )
  const { key: secret } = systemSecrets.createToken('ses')
  const now = app.clock.now()
  const session = { user_id, secret_hash: hashSecret(secret), method: 'link' as const, user_agent: '', now }
  await app.db.withTransaction({ signin: true }, async tx => {
    const [row] = await app.sql('select gen_random_uuid() as id')
    const expires_at = new Date(now.getTime() + 3_600_000)
    await insertSession(tx, {
      ...session,
      browser_hash: null,
      address: null,
      session_id: String(row?.id),
      expires_at,
    })
  })
  return { key, cookie: `__Host-waybill=${secret}` }
}

const readStatuses = async ({ key, cookie }: { key: string; cookie: string }, path = `/flows/${ORG}`) => [
  (await app.makeClientWith(key).get(path)).status,
  (await app.anonymous.call('GET', path, undefined, { cookie })).status,
]

const redeem = (token: string) => acceptInvitation(makeBrowser(app.server), token)
const listInvitations = async (
  admin = app.outsider,
  org = OTHER_ORG,
): Promise<{ email: string; role: string }[]> => (await admin.get(`/invitations/${org}`)).body
const isInvited = async (email: string) => (await listInvitations()).some(one => one.email === email)
const setEmail = (directory: Provider, id: string, value: string) =>
  directory.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value, primary: true }] })
const setActive = (directory: Provider, id: string, value: boolean) =>
  directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value })

describe('an address in a domain that the organization has proved', () => {
  it('becomes a member immediately, even when they are a member elsewhere', async () => {
    await app.sql("update users set email = 'oscar@proved.example' where name = 'oscar'")
    for (const email of ['new@proved.example', 'oscar@proved.example', 'New.One@PROVED.example']) {
      await idp.user(email)
      expect([email, await readRole(email)]).toEqual([email, 'reader'])
    }
    expect((await listQueuedMails(app)).filter(({ to }) => /proved\.example/i.test(to))).toEqual([])
  })

  it('of a subdomain does not, and gets no account', async () => {
    await idp.user('x@sub.proved.example')
    expect(await readRole('x@sub.proved.example')).toBeUndefined()
    expect(await readPerson('x@sub.proved.example')).toBeUndefined()
  })

  it('of a domain that is only claimed does not, and gets no account', async () => {
    const claimed = await app.admin.put(`/mail-domains/${ORG}/claimed.example`)
    expect(claimed.status).toBe(201)
    await idp.user('x@claimed.example')
    expect(await readRole('x@claimed.example')).toBeUndefined()
    expect(await readPerson('x@claimed.example')).toBeUndefined()
  })

  it('no longer becomes a member immediately when the organization gives up the domain', async () => {
    await proveDomains(app, ORG, 'given-up.example')
    await idp.user('before@given-up.example')
    await app.admin.delete(`/mail-domains/${ORG}/given-up.example`)
    await idp.user('after@given-up.example')
    expect(await readRole('before@given-up.example')).toBe('reader')
    expect(await readRole('after@given-up.example')).toBeUndefined()
  })
})

describe('any other address', () => {
  it('gets the same response whether or not somebody has it, and nobody joins', async () => {
    await addPerson(app, 'known')
    const bodies = []
    for (const email of ['known@example.com', 'unknown@example.com']) {
      const answer = await stranger.post('/Users', { userName: email, displayName: 'Somebody' })
      expect(answer.status).toBe(201)
      bodies.push(JSON.stringify(answer.body).replaceAll(email, 'it').replaceAll(answer.body.id, 'id'))
      expect(await isInvited(email)).toBe(true)
      expect(await readRole(email, OTHER_ORG)).toBeUndefined()
    }
    expect(bodies[0]).toBe(bodies[1])
    expect(await readPerson('unknown@example.com')).toBeUndefined()
    expect(await readPerson('known@example.com')).toMatchObject({ name: 'known', display_name: null })
  })

  it('does not prevent another organization from provisioning it', async () => {
    expect((await stranger.post('/Users', { userName: 'wanted@proved.example' })).status).toBe(201)
    expect((await idp.post('/Users', { userName: 'wanted@proved.example' })).status).toBe(201)
    expect(await readRole('wanted@proved.example')).toBe('reader')
    expect(await readRole('wanted@proved.example', OTHER_ORG)).toBeUndefined()
  })

  it('becomes a member when the invitation is accepted, with the role that groups give', async () => {
    const user = await stranger.user('joins@example.com', { displayName: 'Jo Ins' })
    await stranger.group('their-members', [user])
    expect(await readRole('joins@example.com', OTHER_ORG)).toBeUndefined()
    const [mail] = (await listQueuedMails(app)).filter(({ to }) => to === 'joins@example.com')
    expect(mail?.text).toContain(`the directory of ${OTHER_ORG} invites you to the organization ${OTHER_ORG}`)
    await redeem(await tokenFor(app, 'joins@example.com'))
    expect(await readRole('joins@example.com', OTHER_ORG)).toBe('member')
    await stranger.group('their-admins', [user])
    expect(await readRole('joins@example.com', OTHER_ORG)).toBe('admin')
    const { body } = await app.outsider.get(`/members/${OTHER_ORG}`)
    expect(body).toContainEqual(expect.objectContaining({ user: 'joins', display_name: 'Jo Ins' }))
    expect(await readPerson('joins@example.com')).toMatchObject({ display_name: null })
  })

  it('of a member is linked to the member', async () => {
    await addPerson(app, 'insider', 'member')
    const { id } = await idp.user('insider@example.com')
    expect(await isInvited('insider@example.com')).toBe(false)
    await setActive(idp, id, false)
    expect(await readRole('insider@example.com')).toBeUndefined()
  })

  it('that an admin has invited is not invited again', async () => {
    const invited = { email: 'twice@example.com', role: 'member' }
    await app.outsider.post(`/invitations/${OTHER_ORG}`, invited)
    const { id } = await stranger.user('twice@example.com')
    expect((await listQueuedMails(app)).filter(({ to }) => to === 'twice@example.com')).toHaveLength(1)
    await redeem(await tokenFor(app, 'twice@example.com'))
    expect(await readRole('twice@example.com', OTHER_ORG)).toBe('member')
    await setActive(stranger, id, false)
    expect(await readRole('twice@example.com', OTHER_ORG)).toBeUndefined()
  })

  it('is no longer invited once the user is inactive, deleted or has another address', async () => {
    const made = await Promise.all(['off', 'gone', 'moved'].map(name => stranger.user(`${name}@example.com`)))
    const [off, gone, moved] = made.map(({ id }) => String(id))
    const token = await tokenFor(app, 'moved@example.com')
    await setActive(stranger, off ?? '', false)
    await stranger.delete(`/Users/${gone}`)
    await setEmail(stranger, moved ?? '', 'moved-on@example.com')
    expect(
      await Promise.all(['off', 'gone', 'moved', 'moved-on'].map(name => isInvited(`${name}@example.com`))),
    ).toEqual([false, false, false, true])
    await redeem(token)
    expect(await readRole('moved@example.com', OTHER_ORG)).toBeUndefined()
    await setActive(stranger, off ?? '', true)
    expect(await isInvited('off@example.com')).toBe(true)
  })

  it('belongs to one user of the directory', async () => {
    await stranger.user('alone@example.com')
    const other = await stranger.user('other-name')
    const twice = await stranger.post('/Users', { userName: 'x', emails: [{ value: 'Alone@example.com' }] })
    const moved = await setEmail(stranger, other.id, 'alone@example.com')
    for (const answer of [twice, moved]) {
      expect([answer.status, answer.body.scimType]).toEqual([409, 'uniqueness'])
    }
  })
})

describe('a directory changes nothing that belongs to the person', () => {
  it.each<[string, (id: string) => Promise<{ status: number }>]>([
    ['another address', id => setEmail(idp, id, 'thief@proved.example')],
    ['another name', id => idp.patch(`/Users/${id}`, { op: 'replace', value: { displayName: 'Thief' } })],
    ['inactive', id => setActive(idp, id, false)],
    ['deleted', id => idp.delete(`/Users/${id}`)],
  ])('%s', async (how, change) => {
    const email = `own-${how.replaceAll(' ', '-')}@proved.example`
    const { id } = await idp.user(email, { displayName: 'First Name' })
    const credentials = await addCredentials(email)
    const before = await readPerson(email)
    expect(before).toMatchObject({ display_name: 'First Name', sessions: 1, keys: 1 })
    expect([200, 204]).toContain((await change(id)).status)
    expect(await readPerson(email)).toEqual(before)
    expect(await readPerson('thief@proved.example')).toBeUndefined()
    expect(await readStatuses(credentials, '/organizations')).toEqual([200, 200])
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
  ])('%s ends the membership and all access to the organization', async (how, leave) => {
    const email = `${how.replaceAll(' ', '-')}@proved.example`
    const { id } = await idp.user(email)
    const credentials = await addCredentials(email)
    expect(await readStatuses(credentials)).toEqual([200, 200])
    expect([200, 204]).toContain((await leave(id)).status)
    expect(await readStatuses(credentials)).toEqual([403, 403])
    expect(await readRole(email)).toBeUndefined()
    const [event] = (await app.readEvents('user_deprovisioned')).slice(-1)
    expect(event?.data).toMatchObject({ user_name: email })
    const removed = (await app.readEvents('member_removed')).at(-1)
    expect(removed?.data).toMatchObject({ source: 'scim', previous_role: 'reader' })
    expect((await idp.get(`/Users/${id}`)).status).toBe(how === 'by DELETE' ? 404 : 200)
  })

  it('leaves access to other organizations', async () => {
    const email = 'both@proved.example'
    const { id } = await idp.user(email)
    await app.sql(
      `insert into memberships (org_id, user_id, role, created_at)
       select o.org_id, u.user_id, 'member', now() from orgs o, users u where o.name = $1 and u.email = $2`,
      [OTHER_ORG, email],
    )
    const credentials = await addCredentials(email)
    await idp.delete(`/Users/${id}`)
    expect(await readStatuses(credentials, `/flows/${OTHER_ORG}`)).toEqual([200, 200])
    expect(await readRole(email, OTHER_ORG)).toBe('member')
    expect(await readRole(email)).toBeUndefined()
  })

  it('is undone by reactivation, with the role that groups give', async () => {
    const user = await idp.user('back@proved.example')
    await idp.group('back-members', [user])
    expect(await readRole('back@proved.example')).toBe('member')
    const set = (value: string) => idp.patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value })
    expect((await set('False')).body.active).toBe(false)
    expect(await readRole('back@proved.example')).toBeUndefined()
    expect((await set('True')).body.active).toBe(true)
    expect(await readRole('back@proved.example')).toBe('member')
  })

  it('of the last admin is rejected as a whole', async () => {
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
    expect(await readRole('ada@example.com')).toBe('admin')
  })
})

describe('a person who joined by invitation and left', () => {
  /** Provisions a user with the unproved provider and accepts the invitation. */
  async function join(email: string): Promise<{ id: string; leave(): Promise<void> }> {
    const user = await stranger.user(email)
    await redeem(await tokenFor(app, email))
    expect(await readRole(email, OTHER_ORG)).toBe('reader')
    const leave = async () => {
      const [name] = email.split('@')
      await app.outsider.delete(`/members/${OTHER_ORG}/${name}`)
      expect(await readRole(email, OTHER_ORG)).toBeUndefined()
    }
    return { id: user.id, leave }
  }

  it('does not rejoin through a group', async () => {
    const { id, leave } = await join('left-group@example.com')
    await leave()
    await stranger.group('back-admins', [{ id }])
    expect(await readRole('left-group@example.com', OTHER_ORG)).toBeUndefined()
  })

  it('is invited again by reactivation, and not a member until they accept', async () => {
    const { id, leave } = await join('left-active@example.com')
    await leave()
    await setActive(stranger, id, false)
    await setActive(stranger, id, true)
    expect(await readRole('left-active@example.com', OTHER_ORG)).toBeUndefined()
    expect(await isInvited('left-active@example.com')).toBe(true)
  })

  it('does not rejoin through a false address in a proved domain', async () => {
    await proveDomains(app, OTHER_ORG, 'stranger.example')
    const { id, leave } = await join('left-lie@example.com')
    await leave()
    await setActive(stranger, id, false)
    await setEmail(stranger, id, 'lie@stranger.example')
    await setActive(stranger, id, true)
    expect(await readRole('left-lie@example.com', OTHER_ORG)).toBeUndefined()
    expect(await readRole('lie@stranger.example', OTHER_ORG)).toBe('reader')
    expect(await readPerson('left-lie@example.com')).toMatchObject({ name: 'left-lie' })
  })
})

describe('when directories are trusted', () => {
  it('every address becomes a member immediately', async () => {
    const trusting = await startTestApp({ settings: { WAYBILL_DIRECTORIES: 'trusted' } })
    try {
      const directory = await makeProvider(trusting, trusting.admin, ORG)
      await directory.user('anyone@example.com')
      await directory.user('no-address')
      const rows = await trusting.sql(
        `select u.name, m.role from scim_users s join users u on u.user_id = s.user_id
         join memberships m on m.user_id = u.user_id order by u.name`,
      )
      expect(rows).toEqual([
        { name: 'anyone', role: 'reader' },
        { name: 'no-address', role: 'reader' },
      ])
    } finally {
      await trusting.stop()
    }
  })
})
