// GET /user/organizations: the states of the caller's organizations, and nothing about any other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertSession, makeBrowser } from '../../../test/browser.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { listStatements } from '../../../test/statement-log.ts'
import { SESSION_COOKIE } from '../../lib/session-token.ts'

const PATH = '/user/organizations'
const NONE = { compliant: 0, non_compliant: 0, unknown: 0, stale: 0 }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const findOrg = async (client: TestApp['admin'], org: string) =>
  (await client.get(PATH)).body.find(({ name }: { name: string }) => name === org)

const addEnvironment = (name: string, org = 'acme', client = app.member) =>
  client.put(`/environments/${org}`, { name, type: 'server', expected_report_interval: 60 })

/** Sets what snapshots would have set. */
const setState = (name: string, state: boolean | null, reported_at: Date | null) =>
  app.sql('update environments set state = $2, last_reported_at = $3 where name = $1', [
    name,
    state,
    reported_at,
  ])

describe('200', () => {
  it('has the organizations of the caller, by name, with their role', async () => {
    const { status, body } = await app.admin.get(PATH)
    expect(status).toBe(200)
    expect(body.map(({ name, kind, role }: Record<string, string>) => [name, kind, role])).toEqual([
      ['acme', 'shared', 'admin'],
      ['ada', 'personal', 'admin'],
    ])
    expect(body[0].environments).toEqual(NONE)
  })

  it('counts environments by state as it is now: red stays red when reports stay away, green does not', async () => {
    for (const name of ['green', 'red', 'unknown', 'silent', 'red-and-silent', 'archived'])
      expect((await addEnvironment(name)).status).toBeLessThan(300)
    const now = app.clock.now()
    const long_ago = new Date(now.getTime() - 3_600_000)
    await setState('green', true, now)
    await setState('red', false, now)
    await setState('unknown', null, null)
    await setState('silent', true, long_ago)
    await setState('red-and-silent', false, long_ago)
    await setState('archived', false, now)
    await app.member.put('/environments/acme/archived/archive')
    const counted = { compliant: 1, non_compliant: 2, unknown: 1, stale: 1 }
    expect((await findOrg(app.reader, 'acme')).environments).toEqual(counted)
    const listed = (state: string) => app.reader.get(`/environments/acme?page=1&state=${state}`)
    for (const [state, count] of [
      ['compliant', 1],
      ['non-compliant', 2],
      ['unknown', 1],
      ['stale', 1],
    ] as const)
      expect((await listed(state)).body.total_count).toBe(count)
  })

  it('counts a logical environment as stale with the first of its members', async () => {
    await app.member.put('/environments/acme', { name: 'all', type: 'logical' })
    await app.member.put('/environments/acme/all/join', { physical_env_name: 'silent' })
    await setState('all', true, null)
    expect((await findOrg(app.reader, 'acme')).environments.stale).toBe(2)
  })

  it('says when something was last recorded', async () => {
    const before = (await findOrg(app.reader, 'acme')).last_activity_at
    await app.member.put('/flows/acme', { name: 'later', description: '' })
    const { last_activity_at } = await findOrg(app.reader, 'acme')
    expect(last_activity_at).toBeGreaterThan(before)
    const [head] = await app.sql(
      `select logged_ms::float / 1000 as at from log_heads join orgs using (org_id) where name = 'acme'`,
    )
    expect(last_activity_at).toBe(head?.at)
  })

  it('shows nothing of organizations that the caller does not belong to', async () => {
    await addEnvironment('theirs', 'other-corp', app.outsider)
    expect((await findOrg(app.outsider, 'other-corp')).environments.unknown).toBe(1)
    expect(await findOrg(app.admin, 'other-corp')).toBeUndefined()
    const [other] = await app.sql(`select org_id from orgs where name = 'other-corp'`)
    const [ada] = await app.sql(`select user_id from users where name = 'ada'`)
    // The database ignores organizations that the person does not belong to, whatever the application requests.
    const seen = await app.sql(
      `select set_config('app.person', $1, false), (select count(*)::int from states_of_own_orgs($2, now())) as n`,
      [ada?.user_id, [other?.org_id]],
    )
    expect(seen).toMatchObject([{ n: 0 }])
  })

  it('has no state of an organization that would refuse the caller', async () => {
    const setSettings = (settings: object) =>
      app.sql(`update orgs set settings = settings || $1::jsonb where name = 'acme'`, [
        JSON.stringify(settings),
      ])
    await setSettings({ allowed_addresses: ['203.0.113.0/24'] })
    const other = await startSessionOf('rita')
    const read = async () => (await other.get(`/api/v2${PATH}`)).body[0]
    expect(await read()).toMatchObject({ name: 'acme', environments: null, last_activity_at: null })
    await setSettings({ allowed_addresses: [], sso_required: true })
    expect(await read()).toMatchObject({ name: 'acme', environments: null })
    await setSettings({ sso_required: false })
    expect((await read()).environments).not.toBeNull()
  })

  it('sends the same statements however many organizations there are', async () => {
    const ask = () => app.admin.get(PATH)
    const before = await listStatements(app, ask)
    expect(before.filter(name => name === 'orgs.states')).toHaveLength(1)
    for (const name of ['one', 'two', 'three']) await app.admin.post('/organizations', { name })
    await ask()
    expect(await listStatements(app, ask)).toEqual(before)
  })
})

async function startSessionOf(user: string) {
  const browser = makeBrowser(app.server)
  browser.cookies.set(SESSION_COOKIE, await insertSession(app, user))
  return browser
}

describe('401', () => {
  it('is for people who are known', async () => expect((await app.anonymous.get(PATH)).status).toBe(401))
})
