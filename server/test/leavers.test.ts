// Service accounts of people who leave an organization: nothing remains that they could still write with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeExpiryScan } from '../src/notifications/key-expiry.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { makeProvider, type Provider, proveDomains } from './scim.ts'

const DAY_MS = 86_400_000
const ACCOUNTS = `/service-accounts/${ORG}`

let app: TestApp
let people = 0
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** A member with a service account and a key for it. */
async function addMemberWithAccount(): Promise<{
  name: string
  person: Client
  account: string
  robot: Client
}> {
  const name = `leaver-${people++}`
  const person = await addPerson(app, name, 'member')
  const account = `robot-of-${name}`
  await person.post(ACCOUNTS, { name: account, privilege: 'member' })
  const { body } = await person.post(`${ACCOUNTS}/${account}/api-keys`, { description: 'x' })
  return { name, person, account, robot: app.makeClientWith(body.key) }
}
const tryWrite = async (client: Client) =>
  (await client.put(`/flows/${ORG}`, { name: 'by-robot', description: '' })).status
const getAccount = async (name: string) => (await app.admin.get(`${ACCOUNTS}/${name}`)).body
const setGrace = (leaver_grace_days: number) =>
  app.admin.patch(`/organizations/${ORG}`, { settings: { leaver_grace_days } })

describe('service accounts of a person who leaves', () => {
  let directory: Provider
  beforeAll(async () => {
    directory = await makeProvider(app, app.admin, ORG)
  })

  it.each<[string, (name: string, person: Client) => Promise<unknown>]>([
    ['removed by an admin', name => app.admin.delete(`/members/${ORG}/${name}`)],
    ['on their own', (name, person) => person.delete(`/members/${ORG}/${name}`)],
    [
      'deprovisioned by a directory',
      async name => {
        const { id } = await directory.user(`${name}@example.com`)
        await directory.delete(`/Users/${id}`)
      },
    ],
  ])('%s stop after seven days', async (_how, leave) => {
    const { name, person, account, robot } = await addMemberWithAccount()
    expect(await tryWrite(robot)).toBeLessThan(300)
    await leave(name, person)
    const keys_stop_at = app.clock.now().getTime() / 1000 + 7 * 86_400
    expect(await getAccount(account)).toMatchObject({ owner: name, keys_stop_at })
    expect((await app.readEvents('service_account_owner_left')).at(-1)?.data).toEqual({
      service_account: account,
      owner: name,
      keys_stop_at,
    })
    expect(await tryWrite(robot)).toBeLessThan(300)
    app.clock.advance(7 * DAY_MS)
    expect(await tryWrite(robot)).toBe(401)
  })

  it.each([
    ['before the keys stop', 1],
    ['after the keys have stopped', 8],
  ])('keep working when the person returns %s', async (_, days) => {
    const { name, account, robot } = await addMemberWithAccount()
    await app.admin.delete(`/members/${ORG}/${name}`)
    const { keys_stop_at } = await getAccount(account)
    app.clock.advance(days * DAY_MS)
    await addPerson(app, name, 'reader')
    expect(await getAccount(account)).toMatchObject({ owner: name, keys_stop_at: null, acts_as: 'reader' })
    expect((await app.readEvents('service_account_changed')).at(-1)?.data).toEqual({
      service_account: account,
      keys_stop_at: null,
      previous: { keys_stop_at },
    })
    app.clock.advance(8 * DAY_MS)
    expect([(await robot.get(`/flows/${ORG}`)).status, await tryWrite(robot)]).toEqual([200, 403])
  })

  it('keep working when a directory brings the person back', async () => {
    const { name, account } = await addMemberWithAccount()
    const { id } = await directory.user(`${name}@example.com`)
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    expect((await getAccount(account)).keys_stop_at).toEqual(expect.any(Number))
    await proveDomains(app, ORG, 'example.com')
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
    expect(await getAccount(account)).toMatchObject({ owner: name, keys_stop_at: null })
    await app.sql('delete from mail_domains')
  })

  it('stop immediately when the grace period is 0 days', async () => {
    await setGrace(0)
    const { name, robot } = await addMemberWithAccount()
    await app.admin.delete(`/members/${ORG}/${name}`)
    app.clock.advance(5000)
    expect(await tryWrite(robot)).toBe(401)
    await setGrace(7)
  })

  it('keep working when an admin assigns a new owner', async () => {
    const [one, two] = [await addMemberWithAccount(), await addMemberWithAccount()]
    for (const { name } of [one, two]) await app.admin.delete(`/members/${ORG}/${name}`)
    await app.admin.patch(`${ACCOUNTS}/${one.account}`, { owner: 'max' })
    await app.admin.patch(`${ACCOUNTS}/${two.account}`, { owner: null })
    app.clock.advance(8 * DAY_MS)
    for (const { robot } of [one, two]) expect(await tryWrite(robot)).toBeLessThan(300)
    expect(await getAccount(one.account)).toMatchObject({ owner: 'max', keys_stop_at: null })
    expect(await getAccount(two.account)).toMatchObject({ owner: null, keys_stop_at: null })
    expect((await app.member.delete(`${ACCOUNTS}/${one.account}`)).status).toBe(200)
  })

  it('stop together with the service accounts they created', async () => {
    const { name, robot } = await addMemberWithAccount()
    const child = `child-of-${name}`
    await robot.post(ACCOUNTS, { name: child, privilege: 'member' })
    const { body } = await robot.post(`${ACCOUNTS}/${child}/api-keys`, { description: 'x' })
    await app.admin.delete(`/members/${ORG}/${name}`)
    expect(await getAccount(child)).toMatchObject({ owner: name, keys_stop_at: expect.any(Number) })
    app.clock.advance(8 * DAY_MS)
    expect(await tryWrite(app.makeClientWith(body.key))).toBe(401)
  })

  it('cannot be given away by their owner', async () => {
    const { person, account } = await addMemberWithAccount()
    for (const owner of [null, 'max']) {
      const answer = await person.patch(`${ACCOUNTS}/${account}`, { owner })
      expect([answer.status, answer.body.message]).toEqual([
        403,
        'Only admins can set the owner of a service account',
      ])
    }
    const unknown = await app.admin.patch(`${ACCOUNTS}/${account}`, { owner: 'nobody-here' })
    expect([unknown.status, Object.keys(unknown.body.errors)]).toEqual([400, ['owner']])
  })

  it('are announced to the admins before they stop', async () => {
    const { name } = await addMemberWithAccount()
    await app.sql("update users set email = 'ada@example.com' where name = 'ada'")
    await app.admin.delete(`/members/${ORG}/${name}`)
    app.clock.advance(5 * DAY_MS)
    const { db, clock } = app
    const announced = async () =>
      (await app.sql("select 1 from outbox where kind = 'delivery' and payload::text like '%robot-of-%'"))
        .length
    const before = await announced()
    await makeExpiryScan({ db, ids: makeIds(clock), clock, log: makeLog('silent') })()
    const noticed = await app.sql(
      `select k.expiry_notice from service_account_keys k
       join service_accounts a on a.service_account_id = k.service_account_id where a.name = $1`,
      [`robot-of-${name}`],
    )
    expect(noticed).toEqual([{ expiry_notice: 'last' }])
    expect(await announced()).toBeGreaterThanOrEqual(before)
  })
})

describe('creating service accounts', () => {
  it.each([
    ['admin', 'member', 403],
    ['member', 'member', 201],
    ['member', 'snapshotter', 403],
    ['snapshotter', 'snapshotter', 201],
  ] as const)('needs the role %s: a %s gets %d', async (creators, role, status) => {
    await app.admin.patch(`/organizations/${ORG}`, { settings: { service_account_creators: creators } })
    const answer = await app[role].post(ACCOUNTS, { name: `made-${creators}-${role}` })
    expect(answer.status).toBe(status)
    if (status === 403) {
      expect(answer.body.message).toBe(
        `Creating service accounts needs the role '${creators}' in this organization`,
      )
    }
  })

  it('needs an admin in a new organization', async () => {
    await app.member.post('/organizations', { name: 'fresh-org' })
    expect((await app.member.get('/organizations/fresh-org')).body.settings.service_account_creators).toBe(
      'admin',
    )
  })
})
