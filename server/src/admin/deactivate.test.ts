// `admin user deactivate`: the user loses all access, and the organization's data and automation keep working.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBrowser, readQueuedMails, setEmail, signInByMail } from '../../test/browser.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { addPerson } from '../../test/people.ts'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import { makeIds } from '../lib/ids.ts'
import { systemSecrets } from '../lib/secrets.ts'
import { findLogProblems } from '../log/check.ts'
import type { Admin } from './actor.ts'
import { deactivateUser, listUsers, reactivateUser } from './deactivate.ts'

/** How long a process keeps a caller in its auth cache. */
const AUTH_CACHE_MS = 3_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await setEmail(app, 'max', 'max@acme.example')
})
afterAll(() => app.stop())

async function runAsAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<{ answer: T; changes: string[] }> {
  const changes: string[] = []
  const answer = await withOwnerTransaction(app.owner, tx =>
    work({ tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes }),
  )
  app.clock.advance(AUTH_CACHE_MS)
  return { answer, changes }
}
const deactivate = (name: string) => runAsAdmin(admin => deactivateUser(admin, name))
const reactivate = (name: string) => runAsAdmin(admin => reactivateUser(admin, name))

describe('deactivating a user', () => {
  it('ends their sessions, keys and links, and keeps everything that belongs to the organization', async () => {
    const account = { name: 'builder', privilege: 'member' }
    expect((await app.admin.post('/service-accounts/acme', account)).status).toBe(201)
    const made = await app.admin.post('/service-accounts/acme/builder/api-keys', { description: 'ci' })
    const robot = app.makeClientWith(made.body.key)
    const browser = await signInByMail(app, 'max@acme.example')
    expect((await browser.get('/auth/session')).status).toBe(200)
    const other = makeBrowser(app.server)
    app.clock.advance(60_000)
    await other.submit('/auth/link', { email: 'max@acme.example' })
    const token = /\/auth\/link\?token=(\w+)/.exec((await readQueuedMails(app)).at(-1)?.text ?? '')?.[1] ?? ''

    expect((await deactivate('max')).changes).toEqual(['deactivated user max'])

    expect((await browser.get('/auth/session')).status).toBe(401)
    expect((await app.member.get('/flows/acme')).status).toBe(401)
    expect((await other.submit('/auth/link/redeem', { token })).status).toBe(403)
    const mails = (await readQueuedMails(app)).length
    app.clock.advance(60_000)
    await makeBrowser(app.server).submit('/auth/link', { email: 'max@acme.example' })
    expect(await readQueuedMails(app)).toHaveLength(mails)
    expect((await robot.get('/flows/acme')).status).toBe(200)
    const members = (await app.admin.get('/members/acme')).body
    expect(members).toContainEqual(expect.objectContaining({ user: 'max', role: 'member' }))
    expect((await app.readEvents('user_changed')).at(-1)).toEqual({
      kind: 'user_changed',
      actor: 'admin program',
      data: { source: 'script', user: 'max', deactivated: true, previous: { deactivated: false } },
    })

    expect((await reactivate('max')).changes).toEqual(['reactivated user max'])
    expect((await app.member.get('/flows/acme')).status).toBe(200)
    // Sessions and links stay ended.
    expect((await browser.get('/auth/session')).status).toBe(401)
    expect((await other.submit('/auth/link/redeem', { token })).status).toBe(403)
    expect((await app.readEvents('user_changed')).at(-1)?.data).toMatchObject({ deactivated: false })
  })

  it('stops the keys of their service accounts after the grace period, until they are reactivated', async () => {
    const account = { name: 'nightly', privilege: 'member' }
    expect((await app.member.post('/service-accounts/acme', account)).status).toBe(201)
    const made = await app.admin.post('/service-accounts/acme/nightly/api-keys', { description: 'ci' })
    const robot = app.makeClientWith(made.body.key)
    await deactivate('max')
    expect((await robot.get('/flows/acme')).status).toBe(200)
    expect((await app.readEvents('service_account_owner_left')).at(-1)?.data).toMatchObject({
      service_account: 'nightly',
      owner: 'max',
    })
    app.clock.advance(7 * 24 * 3_600_000)
    expect((await robot.get('/flows/acme')).status).toBe(401)
    await reactivate('max')
    expect((await robot.get('/flows/acme')).status).toBe(200)
    expect((await app.readEvents('service_account_changed')).at(-1)?.data).toMatchObject({
      service_account: 'nightly',
      keys_stop_at: null,
    })
  })

  it('logs what a deactivated owner was when they are removed', async () => {
    const owner = await addPerson(app, 'gone', 'member')
    await owner.post('/service-accounts/acme', { name: 'left-behind', privilege: 'member' })
    await deactivate('gone')
    expect((await app.admin.delete('/members/acme/gone')).status).toBe(200)
    expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
    expect((await app.readEvents('service_account_owner_left')).slice(-2)).toMatchObject([
      { data: { service_account: 'left-behind' } },
      { data: { service_account: 'left-behind' } },
    ])
  })

  it('changes nothing the second time', async () => {
    await deactivate('sam')
    const before = (await app.readEvents('user_changed')).length
    expect(await deactivate('sam')).toEqual({ answer: { last_admin_of: [] }, changes: [] })
    await reactivate('sam')
    expect((await reactivate('sam')).changes).toEqual([])
    expect(await app.readEvents('user_changed')).toHaveLength(before + 1)
  })

  it('names the shared organizations that are left without an admin', async () => {
    expect((await deactivate('oscar')).answer).toEqual({ last_admin_of: ['other-corp'] })
    expect((await deactivate('oscar')).answer).toEqual({ last_admin_of: ['other-corp'] })
    await reactivate('oscar')
    expect((await deactivate('max')).answer).toEqual({ last_admin_of: [] })
    await reactivate('max')
  })

  it('is shown in the list of users', async () => {
    await deactivate('rita')
    const { answer } = await runAsAdmin(listUsers)
    expect(answer.map(({ name }) => name)).toEqual(['ada', 'gone', 'max', 'oscar', 'rita', 'sam'])
    expect(answer.find(({ name }) => name === 'rita')?.deactivated_at).not.toBeNull()
    expect(answer.find(({ name }) => name === 'max')).toMatchObject({
      email: 'max@acme.example',
      deactivated_at: null,
    })
  })

  it('rejects an unknown user name', async () => {
    await expect(deactivate('nobody')).rejects.toThrow('There is no user nobody')
    await expect(reactivate('nobody')).rejects.toThrow('There is no user nobody')
  })
})
