// Names of organizations and people are unique without regard to case: nobody can be taken for somebody else by capitals.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureOrg, ensureUser } from '../src/admin/people.ts'
import { migrate, readMigrationState } from '../src/db/migrate.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { makeIds } from '../src/lib/ids.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { ORG, type TestApp, testApp } from './harness.ts'
import { tokenFor } from './people.ts'
import { proveDomains, providerOf } from './scim.ts'
import { newDatabase } from './service.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

const namesLike = async (table: 'orgs' | 'users', name: string) =>
  (await app.sql(`select name from ${table} where lower(name) = lower($1) order by name`, [name])).map(
    row => row.name,
  )

describe('an organization', () => {
  it.each(['ACME', 'Acme', 'OSCAR', 'Ada'])(
    'cannot be called %s beside the one that differs in case',
    async name => {
      const { status, body } = await app.member.post('/organizations', { name })
      expect([status, body]).toEqual([409, { message: `The name '${name}' is taken` }])
      expect(await namesLike('orgs', name)).toEqual([name.toLowerCase()])
    },
  )

  it('is one of many that differ in case only, also at the same moment', async () => {
    const names = ['wanted', 'Wanted', 'WANTED', 'wAnted', 'waNted', 'wanTed']
    const answers = await Promise.all(names.map(name => app.member.post('/organizations', { name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    expect(await namesLike('orgs', 'wanted')).toHaveLength(1)
  })

  it('is found by its name as it is written, and by no other', async () => {
    expect((await app.admin.get('/organizations/acme')).status).toBe(200)
    const { status, body } = await app.admin.get('/flows/ACME')
    expect([status, body]).toEqual([403, { message: 'Access denied to /api/v2/flows/ACME' }])
  })
})

describe('a person', () => {
  it('who is invited gets another name than one that differs in case', async () => {
    expect(
      (await app.admin.post('/invitations/acme', { email: 'MAX@new.example', role: 'member' })).status,
    ).toBe(201)
    const browser = makeBrowser(app.server)
    await acceptInvitation(browser, await tokenFor(app, 'MAX@new.example'))
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'MAX-2' })
    expect(await namesLike('orgs', 'max-2')).toEqual(['MAX-2'])
  })

  it('whom a directory provisions gets another name than one that differs in case', async () => {
    await proveDomains(app, ORG, 'acme.example')
    const directory = await providerOf(app, app.admin, ORG)
    await directory.user('OSCAR@acme.example', { emails: [{ value: 'OSCAR@acme.example', primary: true }] })
    const [made] = await app.sql("select name from users where email = 'OSCAR@acme.example'")
    expect(made?.name).toBe('OSCAR-2')
  })
})

describe('somebody without an organization of their own', () => {
  it('keeps their name from whoever comes in later', async () => {
    const directory = await providerOf(app, app.admin, ORG)
    await directory.user('zoe@acme.example', { emails: [{ value: 'zoe@acme.example', primary: true }] })
    expect(await namesLike('orgs', 'zoe')).toEqual([])
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

  it('refuses users and organizations that differ from others in case only, and makes nothing', async () => {
    const user = asAdmin(admin => ensureUser(admin, { name: 'ADA', email: null, personal_org: true }))
    await expect(user).rejects.toThrow("The name ADA is taken: it differs from another user's in case only")
    const org = { name: 'Acme', kind: 'shared', description: undefined, features: {} } as const
    await expect(asAdmin(admin => ensureOrg(admin, org))).rejects.toThrow(
      "The name Acme is taken: it differs from another organization's in case only",
    )
    expect([await namesLike('users', 'ada'), await namesLike('orgs', 'acme')]).toEqual([['ada'], ['acme']])
  })
})

describe('a database from before', () => {
  it('keeps every name, the oldest alone takes it, and no further one can come', async () => {
    const { owner } = await newDatabase()
    const { pending } = await readMigrationState(owner)
    const place = pending.findIndex(name => name.includes('names_without_case'))
    await migrate(owner, pending.slice(0, place))
    const made = (table: string, id: string, more: string) =>
      owner.query(`insert into ${table} (${id}, name, created_at ${more ? ', kind' : ''})
        select gen_random_uuid(), n.name, n.at ${more} from (values
          ('ACME', timestamptz '2026-02-01'), ('acme', timestamptz '2026-01-01'), ('Acme', timestamptz '2026-03-01'),
          ('other', timestamptz '2026-03-01')) n (name, at)`)
    await made('orgs', 'org_id', ", 'shared'")
    await made('users', 'user_id', '')
    await migrate(owner)
    for (const table of ['orgs', 'users']) {
      const { rows } = await owner.query(
        `select name, name_key = lower(name) as has_it from ${table} order by created_at, name`,
      )
      expect(rows).toEqual([
        { name: 'acme', has_it: true },
        { name: 'ACME', has_it: false },
        { name: 'Acme', has_it: false },
        { name: 'other', has_it: true },
      ])
    }
    await expect(
      owner.query(
        "insert into orgs (org_id, name, kind, created_at) values (gen_random_uuid(), 'aCmE', 'shared', now())",
      ),
    ).rejects.toThrow(/orgs_name_without_case/)
    await expect(
      owner.query("insert into users (user_id, name, created_at) values (gen_random_uuid(), 'OTHER', now())"),
    ).rejects.toThrow(/users_name_without_case/)
  })
})
