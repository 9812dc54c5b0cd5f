// A credential never outlives or outranks its maker: service accounts follow the role of their owner, SCIM tokens the
// admin who answers for them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeIds } from '../src/lib/ids.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { makeProvider, makeProviderWith, type Provider } from './scim.ts'

const DAY_S = 86_400
const ACCOUNTS = `/service-accounts/${ORG}`
const TOKENS = `/scim-tokens/${ORG}`

let app: TestApp
let people = 0
let flows = 0
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const now = () => app.clock.now().getTime() / 1000
const setRole = (name: string, role: string) => app.admin.put(`/members/${ORG}/${name}`, { role })
const dismiss = (name: string) => app.admin.delete(`/members/${ORG}/${name}`)

interface Maker {
  name: string
  person: Client
  account: string
  robot: Client
  key_id: string
}

/** An admin with a service account that is an admin, too. */
async function addAdmin(expires_at = 0): Promise<Maker> {
  const name = `maker-${people++}`
  const person = await addPerson(app, name, 'admin')
  const account = `robot-of-${name}`
  await person.post(ACCOUNTS, { name: account, privilege: 'admin' })
  const { body } = await person.post(`${ACCOUNTS}/${account}/api-keys`, { description: 'x', expires_at })
  return { name, person, account, robot: app.makeClientWith(body.key), key_id: body.id }
}

/** The highest role that the client has in the organization. */
async function findRole(client: Client): Promise<string> {
  if ((await client.get(`/mail-domains/${ORG}`)).status === 200) {
    const { status } = await client.patch(`/organizations/${ORG}`, { description: 'x' })
    return status === 200 ? 'admin' : 'auditor'
  }
  const write = await client.put(`/flows/${ORG}`, { name: `flow-${flows++}`, description: '' })
  if (write.status < 300) return 'member'
  const { status } = await client.get(`/flows/${ORG}`)
  if (status !== 200) return `none: ${status}`
  return (await client.get(ACCOUNTS)).status === 200 ? 'snapshotter' : 'reader'
}
const getAccount = async (name: string) => (await app.admin.get(`${ACCOUNTS}/${name}`)).body

describe('a service account', () => {
  it.each(['member', 'snapshotter', 'auditor', 'reader'])(
    'acts at once as a %s when its owner becomes one',
    async role => {
      const { name, account, robot } = await addAdmin()
      expect(await findRole(robot)).toBe('admin')
      await setRole(name, role)
      expect(await findRole(robot)).toBe(role)
      expect(await getAccount(account)).toMatchObject({
        privilege: 'admin',
        acts_as: role,
        keys_stop_at: null,
      })
      await setRole(name, 'admin')
      expect(await findRole(robot)).toBe('admin')
    },
  )

  it('acts with its own role when that is less', async () => {
    const { person, account, robot } = await addAdmin()
    await person.patch(`${ACCOUNTS}/${account}`, { privilege: 'reader' })
    expect(await findRole(robot)).toBe('reader')
    expect(await getAccount(account)).toMatchObject({ acts_as: 'reader' })
  })

  it('follows the role that a group of the directory gives its owner', async () => {
    const directory = await makeProvider(app, app.admin, ORG)
    const { name, robot } = await addAdmin()
    const { id } = await directory.user(`${name}@example.com`)
    await directory.group(`${name}-members`, [{ id }])
    expect(await findRole(robot)).toBe('member')
  })

  it('keeps at most what a member may after its owner has left, also if they come back', async () => {
    const { name, account, robot, key_id } = await addAdmin(now() + 9 * DAY_S)
    await dismiss(name)
    expect(await findRole(robot)).toBe('member')
    expect(await getAccount(account)).toMatchObject({ privilege: 'admin', acts_as: 'member' })
    const key = (await app.admin.get(`${ACCOUNTS}/${account}/api-keys/${key_id}`)).body
    expect(key).toMatchObject({ expires_at: now() + 9 * DAY_S, stops_at: now() + 7 * DAY_S })
    expect((await app.admin.get(`${ACCOUNTS}/${account}/api-keys`)).body).toEqual([
      { ...key, last_used_at: expect.any(Number), last_used_from: expect.anything() },
    ])
    await addPerson(app, name, 'admin')
    expect(await findRole(robot)).toBe('member')
    await setRole(name, 'reader')
    expect(await findRole(robot)).toBe('reader')
    await app.admin.patch(`${ACCOUNTS}/${account}`, { owner: null })
    expect(await findRole(robot)).toBe('admin')
  })

  it.each(['reader', 'snapshotter', 'auditor'] as const)(
    'gains nothing when an owner who was %s leaves',
    async role => {
      const { name, account, robot } = await addAdmin()
      await setRole(name, role)
      await dismiss(name)
      // Nobody who has left audits.
      const kept = role === 'auditor' ? 'reader' : role
      expect(await findRole(robot)).toBe(kept)
      expect(await getAccount(account)).toMatchObject({ privilege: 'admin', acts_as: kept })
      await addPerson(app, name, 'member')
      expect(await getAccount(account)).toMatchObject({ acts_as: 'member' })
      await setRole(name, 'reader')
      await dismiss(name)
      expect(await findRole(robot)).toBe('reader')
    },
  )

  it('acts with the role of the member who becomes its owner', async () => {
    const { account, robot } = await addAdmin()
    await app.admin.patch(`${ACCOUNTS}/${account}`, { owner: 'max' })
    expect(await findRole(robot)).toBe('member')
    expect(await getAccount(account)).toMatchObject({ acts_as: 'member', owner: 'max' })
  })

  it('of the organization is what admins made it, and only admins mint its keys', async () => {
    await app.admin.patch(`/organizations/${ORG}`, { settings: { service_account_creators: 'member' } })
    const made = `of-organization-${people++}`
    await app.admin.post(ACCOUNTS, { name: made, privilege: 'member', owner: null })
    const { body } = await app.admin.post(`${ACCOUNTS}/${made}/api-keys`, { description: 'x' })
    const robot = app.makeClientWith(body.key)
    expect(await getAccount(made)).toMatchObject({ owner: null, acts_as: 'member' })
    const child = await robot.post(ACCOUNTS, { name: `${made}-child` })
    expect([child.status, child.body.message]).toEqual([
      403,
      'Only admins can create a service account that the organization owns, like the caller',
    ])
    expect((await robot.post(`${ACCOUNTS}/${made}/api-keys`, { description: 'x' })).status).toBe(403)
    expect((await app.member.post(`${ACCOUNTS}/${made}/api-keys`, { description: 'x' })).status).toBe(403)
    // One of a member makes another, until an admin gives that one to the organization.
    const { person, account, robot: parent } = await addAdmin()
    await person.patch(`${ACCOUNTS}/${account}`, { privilege: 'member' })
    await parent.post(ACCOUNTS, { name: `${account}-child` })
    const keys = `${ACCOUNTS}/${account}-child/api-keys`
    expect((await parent.post(keys, { description: 'x' })).status).toBe(201)
    await app.admin.patch(`${ACCOUNTS}/${account}-child`, { owner: null })
    expect((await parent.post(keys, { description: 'x' })).status).toBe(403)
  })

  it('never gets a key that may be used from more addresses than the key that makes it', async () => {
    const { person, account } = await addAdmin()
    const allowed_addresses = ['127.0.0.0/8', '2001:db8::/32']
    const { body } = await person.post('/user/api-keys', { description: 'x', allowed_addresses })
    const narrow = app.makeClientWith(body.key)
    for (const [addresses, status] of [
      [['0.0.0.0/0'], 403],
      [['127.0.0.1', '192.0.2.1'], 403],
      [['127.0.0.0/7'], 403],
      [['127.0.0.0/8'], 201],
      [['127.1.0.0/16', '2001:db8:1::/48'], 201],
      [[], 403],
    ] as const) {
      const answer = await narrow.post(`${ACCOUNTS}/${account}/api-keys`, {
        description: 'x',
        allowed_addresses: addresses,
      })
      expect([addresses, answer.status]).toEqual([addresses, status])
    }
  })
})

async function mintToken(
  by: Client,
  more: Record<string, unknown> = {},
): Promise<{ id: string; scim: Provider }> {
  const { status, body } = await by.post(TOKENS, { description: 'directory', ...more })
  expect([status, body.errors, body.message]).toEqual([201, undefined, undefined])
  return { id: body.id, scim: makeProviderWith(app, body.token, ORG) }
}
const getToken = async (id: string) =>
  (await app.admin.get(TOKENS)).body.find((token: { id: string }) => token.id === id)
const countStopMails = async () =>
  (await app.sql("select 1 from outbox where payload::text like '%SCIM_TOKEN_STOPPED%'")).length

describe('a SCIM token', () => {
  it.each<[string, (maker: Maker) => Promise<unknown>]>([
    ['is removed', ({ name }) => dismiss(name)],
    ['leaves', ({ name, person }) => person.delete(`/members/${ORG}/${name}`)],
    ['is demoted', ({ name }) => setRole(name, 'member')],
  ])('stops when its maker %s; the admins learn of it and can adopt it', async (_how, change) => {
    await app.sql("update users set email = 'ada@example.com' where name = 'ada'")
    const maker = await addAdmin()
    const own = await mintToken(maker.person)
    const robots = await mintToken(maker.robot)
    const before = await countStopMails()
    for (const { scim } of [own, robots]) expect((await scim.get('/Users')).status).toBe(200)
    await change(maker)
    for (const { id, scim } of [own, robots]) {
      expect((await scim.get('/Users')).status).toBe(401)
      expect((await scim.post('/Users', { userName: 'back@example.com' })).status).toBe(401)
      expect(await getToken(id)).toMatchObject({ is_in_force: false })
    }
    expect(await getToken(own.id)).toMatchObject({ owner: maker.name, created_by: maker.name })
    expect(await countStopMails()).toBeGreaterThan(before)
    const stopped = (await app.readEvents('scim_token_stopped')).slice(-2)
    expect(stopped.map(({ data }) => data)).toEqual([
      expect.objectContaining({ token_id: own.id, owner: maker.name }),
      expect.objectContaining({ token_id: robots.id, owner: maker.name }),
    ])
    expect((await app.member.put(`${TOKENS}/${own.id}/adopt`, {})).status).toBe(403)
    const adopted = await app.admin.put(`${TOKENS}/${own.id}/adopt`, {})
    expect([adopted.status, adopted.body]).toEqual([200, await getToken(own.id)])
    expect(adopted.body).toMatchObject({ owner: 'ada', created_by: maker.name, is_in_force: true })
    expect((await own.scim.get('/Users')).status).toBe(200)
    const [event] = (await app.readEvents('scim_token_adopted')).slice(-1)
    expect(event).toMatchObject({ actor: 'ada', data: { token_id: own.id, previous_owner: maker.name } })
    for (const { id } of [own, robots]) await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('stops when the service account that made it is no admin any more or is deleted', async () => {
    const { person, account, robot } = await addAdmin()
    const { id, scim } = await mintToken(robot)
    expect(await getToken(id)).toMatchObject({ owner: account, is_in_force: true })
    await person.patch(`${ACCOUNTS}/${account}`, { privilege: 'member' })
    expect((await scim.get('/Users')).status).toBe(401)
    await person.patch(`${ACCOUNTS}/${account}`, { privilege: 'admin' })
    expect((await scim.get('/Users')).status).toBe(200)
    await person.delete(`${ACCOUNTS}/${account}`)
    expect((await scim.get('/Users')).status).toBe(401)
    await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('stops while its maker is deactivated', async () => {
    const { name, person } = await addAdmin()
    const { id, scim } = await mintToken(person)
    await app.sql('update users set deactivated_at = now() where name = $1', [name])
    expect((await scim.get('/Users')).status).toBe(401)
    await app.sql('update users set deactivated_at = null where name = $1', [name])
    expect((await scim.get('/Users')).status).toBe(200)
    await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('cannot demote the admin who answers for it and go on', async () => {
    const { name, person } = await addAdmin()
    const { id, scim } = await mintToken(person)
    const user = await scim.user(`${name}@example.com`)
    await scim.group(`${name}-readers`, [{ id: user.id }])
    expect((await scim.post('/Users', { userName: 'more@example.com' })).status).toBe(401)
    await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('expires no later than the key that makes or adopts it, and than the organization allows', async () => {
    const { person } = await addAdmin()
    const ends = now() + 600
    const { body } = await person.post('/user/api-keys', { description: 'short', expires_at: ends })
    const short = app.makeClientWith(body.key)
    const made = await mintToken(short)
    expect(await getToken(made.id)).toMatchObject({ expires_at: ends })
    const late = await short.post(TOKENS, { description: 'x', expires_at: ends + 1 })
    expect([late.status, Object.keys(late.body.errors)]).toEqual([400, ['expires_at']])
    const long = await mintToken(app.admin)
    expect(await getToken(long.id)).toMatchObject({ expires_at: 0 })
    await short.put(`${TOKENS}/${long.id}/adopt`, {})
    expect(await getToken(long.id)).toMatchObject({ expires_at: ends })
    await app.admin.patch(`/organizations/${ORG}`, { settings: { max_key_lifetime_days: 30 } })
    const limited = await mintToken(app.admin)
    expect(await getToken(limited.id)).toMatchObject({ expires_at: now() + 30 * DAY_S })
    await app.admin.patch(`/organizations/${ORG}`, { settings: { max_key_lifetime_days: null } })
    for (const { id } of [made, long, limited]) await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('is used from no more addresses than the key that makes or adopts it, and than the organization allows', async () => {
    const { person } = await addAdmin()
    const { body } = await person.post('/user/api-keys', {
      description: 'x',
      allowed_addresses: ['127.0.0.0/8'],
    })
    const local = app.makeClientWith(body.key)
    const wider = await local.post(TOKENS, {
      description: 'x',
      allowed_addresses: ['127.0.0.1', '192.0.2.7'],
    })
    expect(wider.status).toBe(403)
    const malformed = await app.admin.post(TOKENS, { description: 'x', allowed_addresses: ['127.0.0'] })
    expect([malformed.status, Object.keys(malformed.body.errors)]).toEqual([400, ['allowed_addresses.0']])
    const own = await mintToken(local)
    expect(await getToken(own.id)).toMatchObject({ allowed_addresses: ['127.0.0.0/8'] })
    const free = await mintToken(app.admin)
    const callFrom = async ({ scim }: { scim: Provider }, remoteAddress: string) => {
      const answer = await app.server.inject({
        url: `/scim/v2/${ORG}/Users`,
        headers: { authorization: `Bearer ${scim.token}` },
        remoteAddress,
      })
      return [answer.statusCode, answer.json().detail]
    }
    expect(await callFrom(own, '127.0.0.9')).toEqual([200, undefined])
    expect(await callFrom(own, '192.0.2.7')).toEqual([403, 'This token may not be used from 192.0.2.7'])
    expect(await callFrom(free, '192.0.2.7')).toEqual([200, undefined])
    await app.admin.patch(`/organizations/${ORG}`, { settings: { allowed_addresses: ['127.0.0.0/8'] } })
    expect(await callFrom(free, '127.0.0.1')).toEqual([200, undefined])
    expect(await callFrom(free, '192.0.2.7')).toEqual([
      403,
      `The organization '${ORG}' may not be reached from 192.0.2.7`,
    ])
    await app.admin.patch(`/organizations/${ORG}`, { settings: { allowed_addresses: [] } })
    await local.put(`${TOKENS}/${free.id}/adopt`, {})
    expect(await getToken(free.id)).toMatchObject({ allowed_addresses: ['127.0.0.0/8'] })
    for (const { id } of [own, free]) await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('is neither made nor adopted with a key for some operations, flows or environments', async () => {
    await app.admin.put(`/flows/${ORG}`, { name: 'some', description: '' })
    const { account } = await addAdmin()
    const { id } = await mintToken(app.admin)
    for (const limits of [{ operations: ['read', 'administer'] }, { flows: ['some'] }]) {
      const { body } = await app.admin.post(`${ACCOUNTS}/${account}/api-keys`, {
        description: 'x',
        ...limits,
      })
      const limited = app.makeClientWith(body.key)
      expect((await limited.post(TOKENS, { description: 'x' })).status).toBe(403)
      expect((await limited.put(`${TOKENS}/${id}/adopt`, {})).status).toBe(403)
    }
    await app.admin.delete(`${TOKENS}/${id}`)
  })

  it('of another organization or an unknown one is not adopted', async () => {
    const theirs = (await app.outsider.post('/scim-tokens/other-corp', { description: 'x' })).body.id
    for (const id of [theirs, 'x', makeIds(app.clock).next()]) {
      const answer = await app.admin.put(`${TOKENS}/${id}/adopt`, {})
      expect([answer.status, answer.body]).toEqual([404, { message: 'SCIM token not found' }])
    }
  })
})

describe('a mail address from a directory', () => {
  it.each(['not-an-address', 'a b@example.com', 'a@b,c@example.com', 'a@b..example', 'a@b.example.', 7])(
    '%j gets invalidValue',
    async value => {
      const directory = await makeProvider(app, app.admin, ORG)
      const user = await directory.user(`fine-${people++}@example.com`)
      for (const answer of [
        await directory.post('/Users', { userName: `wrong-${people++}`, emails: [{ value }] }),
        await directory.patch(`/Users/${user.id}`, { op: 'add', path: 'emails', value: [{ value }] }),
      ]) {
        expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidValue'])
      }
      await app.admin.delete(`${TOKENS}/${(await app.admin.get(TOKENS)).body.at(-1).id}`)
    },
  )

  it('that was stored before it was checked does not keep its user active', async () => {
    const directory = await makeProvider(app, app.admin, ORG)
    const user = await directory.user(`old-${people++}`)
    await app.sql(`update scim_users set resource = '{"emails":[{"value":"odd"}]}' where user_name = $1`, [
      user.userName,
    ])
    const answer = await directory.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false })
    expect([answer.status, answer.body.active]).toEqual([200, false])
  })
})
