// Names of organizations and people are unique regardless of case, so nobody can impersonate somebody else with
// capitals.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureOrg, ensureUser } from '../src/admin/people.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { makeIds } from '../src/lib/ids.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { tokenFor } from './people.ts'
import { makeProvider, proveDomains } from './scim.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const findNames = async (table: 'orgs' | 'users', name: string) =>
  (await app.sql(`select name from ${table} where lower(name) = lower($1) order by name`, [name])).map(
    row => row.name,
  )

describe('an organization', () => {
  it.each(['ACME', 'Acme', 'OSCAR', 'Ada'])(
    'cannot be named %s when an existing name differs only in case',
    async name => {
      const { status, body } = await app.member.post('/organizations', { name })
      expect([status, body]).toEqual([409, { message: `The name '${name}' is taken` }])
      expect(await findNames('orgs', name)).toEqual([name.toLowerCase()])
    },
  )

  it('is created once when many requests at once differ only in case', async () => {
    const names = ['wanted', 'Wanted', 'WANTED', 'wAnted', 'waNted', 'wanTed']
    const answers = await Promise.all(names.map(name => app.member.post('/organizations', { name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    expect(await findNames('orgs', 'wanted')).toHaveLength(1)
  })

  it('is found only by the exact spelling of its name', async () => {
    expect((await app.admin.get('/organizations/acme')).status).toBe(200)
    const { status, body } = await app.admin.get('/flows/ACME')
    expect([status, body]).toEqual([403, { message: 'Access denied to /api/v2/flows/ACME' }])
  })
})

describe('a person', () => {
  it('who is invited gets a new name if theirs differs from another only in case', async () => {
    expect(
      (await app.admin.post('/invitations/acme', { email: 'MAX@new.example', role: 'member' })).status,
    ).toBe(201)
    const browser = makeBrowser(app.server)
    await acceptInvitation(browser, await tokenFor(app, 'MAX@new.example'))
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'MAX-2' })
    expect(await findNames('orgs', 'max-2')).toEqual(['MAX-2'])
  })

  it('provisioned by SCIM gets a new name if theirs differs from another only in case', async () => {
    await proveDomains(app, ORG, 'acme.example')
    const directory = await makeProvider(app, app.admin, ORG)
    await directory.user('OSCAR@acme.example', { emails: [{ value: 'OSCAR@acme.example', primary: true }] })
    const [made] = await app.sql("select name from users where email = 'OSCAR@acme.example'")
    expect(made?.name).toBe('OSCAR-2')
  })
})

describe('a person without a personal organization', () => {
  it('keeps their name when somebody with the same name arrives later', async () => {
    const directory = await makeProvider(app, app.admin, ORG)
    await directory.user('zoe@acme.example', { emails: [{ value: 'zoe@acme.example', primary: true }] })
    expect(await findNames('orgs', 'zoe')).toEqual([])
    await app.admin.post('/invitations/acme', { email: 'ZOE@new.example', role: 'member' })
    const browser = makeBrowser(app.server)
    await acceptInvitation(browser, await tokenFor(app, 'ZOE@new.example'))
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'ZOE-2' })
  })
})

describe('the admin program', () => {
  const asAdmin = <T>(work: (admin: Parameters<typeof ensureUser>[0]) => Promise<T>) =>
    withOwnerTransaction(app.owner, tx =>
      work({ tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes: [] }),
    )

  it('rejects users and organizations whose names differ from others only in case, and creates nothing', async () => {
    const user = asAdmin(admin => ensureUser(admin, { name: 'ADA', email: null, personal_org: true }))
    await expect(user).rejects.toThrow(
      "The name ADA is taken: it differs from another user's name only in case",
    )
    const org = { name: 'Acme', kind: 'shared', description: undefined, features: {} } as const
    await expect(asAdmin(admin => ensureOrg(admin, org))).rejects.toThrow(
      "The name Acme is taken: it differs from another organization's name only in case",
    )
    expect([await findNames('users', 'ada'), await findNames('orgs', 'acme')]).toEqual([['ada'], ['acme']])
  })
})
