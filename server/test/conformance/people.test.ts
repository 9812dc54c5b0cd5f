// Sections 2.8 to 2.10: service accounts, the history of members, and finding trails by commit.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../harness.ts'
import { addPerson, tokenFor } from '../people.ts'
import { SHA } from '../reports.ts'
import { makeProvider, proveDomains } from '../scim.ts'
import { expectKind, type Kind, readValue } from './fields.ts'

let app: TestApp
let account: unknown
let history: unknown
let found: unknown
beforeAll(async () => {
  app = await startTestApp()
  await app.admin.post('/service-accounts/acme', { name: 'ci-1', privilege: 'admin', description: 'Builds' })
  account = (await app.admin.get('/service-accounts/acme/ci-1')).body
  await addPerson(app, 'zoe', 'reader')
  await app.admin.put('/members/acme/zoe', { role: 'member' })
  history = (await app.admin.get('/membership-audit-log/acme')).body
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run', git_commit_info: { sha1: SHA, branch: 'main' } })
  found = (await app.reader.get(`/search/acme/commit/${SHA}/trails`)).body
  await addPersonFromEachSource()
})
afterAll(() => app.stop())

/** Adds one person through each source, named after it. */
async function addPersonFromEachSource(): Promise<void> {
  await addPerson(app, 'by-script', 'reader')
  await addPerson(app, 'by-app', 'reader')
  expect((await app.admin.put('/members/acme/by-app', { role: 'member' })).status).toBe(200)
  const guest = await addPerson(app, 'by-invitation')
  await app.admin.post('/invitations/acme', { email: 'by-invitation@example.com', role: 'reader' })
  const token = await tokenFor(app, 'by-invitation@example.com')
  expect((await guest.post('/user/invitations/accept', { token })).status).toBe(200)
  await proveDomains(app, 'acme', 'scim.example')
  await (await makeProvider(app, app.admin, 'acme')).user('by-scim@scim.example')
}

describe('a service account', () => {
  it.each<[string, Kind, unknown]>([
    ['name', 'a string', 'ci-1'],
    ['display_name', 'a string', 'ci-1'],
    ['privilege', 'a string', 'admin'],
    ['description', 'a string', 'Builds'],
    ['creating_user_id', 'a string', expect.stringMatching(/^[0-9a-f-]{32}$/)],
    ['created_at', 'a number', Date.UTC(2026, 2, 3, 12) / 1000],
    ['for_webhook', 'a boolean', false],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(account, field, kind)
    expect(readValue(account, field)).toEqual(value)
  })

  it.each([
    ['one letter', 'a', 201],
    ['64 characters', 'A-9'.padEnd(64, 'z'), 201],
    ['65 characters', 'a'.repeat(65), 400],
    ['nothing', '', 400],
    ['an underscore', 'a_b', 400],
  ])('may be named by its pattern: %s', async (_what, name, expected) => {
    expect((await app.admin.post('/service-accounts/acme', { name })).status).toBe(expected)
  })

  it.each(['admin', 'member', 'snapshotter', 'reader'])('can have the privilege %s', async privilege => {
    const { body } = await app.admin.post('/service-accounts/acme', { name: `as-${privilege}`, privilege })
    expect(body.privilege).toBe(privilege)
  })
})

describe('the history of members', () => {
  it.each<[string, Kind, unknown]>([
    ['page', 'an integer', 1],
    ['per_page', 'an integer', expect.any(Number)],
    ['total_pages', 'an integer', 1],
    ['total_count', 'an integer', 6],
    ['events', 'an array of objects', expect.any(Array)],
    ['_links', 'an object', expect.objectContaining({ self: expect.anything() })],
    ['events[0].id', 'a string', expect.stringMatching(/^[0-9a-f-]{32}$/)],
    ['events[0].user', 'a string', 'zoe'],
    ['events[0].changed_by', 'a string', 'ada'],
    ['events[0].role', 'a string', 'member'],
    ['events[0].previous_role', 'a string', 'reader'],
    ['events[0].source', 'a string', 'app'],
    ['events[0].created_at', 'a number', Date.UTC(2026, 2, 3, 12) / 1000],
  ])('has %s, %s', (field, kind, value) => {
    expectKind(history, field, kind)
    expect(readValue(history, field)).toEqual(value)
  })

  it.each(['added', 'changed', 'removed'])('has the event %s', async kind => {
    const name = `who-was-${kind}`
    await addPerson(app, name, 'reader')
    await app.admin.put(`/members/acme/${name}`, { role: 'member' })
    await app.admin.delete(`/members/acme/${name}`)
    const { body } = await app.admin.get(`/membership-audit-log/acme?event_type=${kind}&search=${name}`)
    expect(body.total_count).toBe(1)
  })

  it.each([
    ['app', ['by-app']],
    ['scim', ['by-scim']],
    ['invitation', ['by-invitation']],
    ['script', ['by-app', 'by-script']],
  ])('can be filtered by the source %s', async (source, users) => {
    const { body } = await app.admin.get(`/membership-audit-log/acme?source=${source}&search=by-`)
    const found = body.events as { user: string; source: string }[]
    expect(found.map(({ user }) => user).toSorted()).toEqual(users)
    expect(new Set(found.map(event => event.source))).toEqual(new Set([source]))
  })

  it('can be filtered by several sources, and leaves out all others', async () => {
    const query = 'source=scim&source=invitation&sort_by=source&sort_dir=asc'
    const { body } = await app.admin.get(`/membership-audit-log/acme?${query}`)
    expect(body.events.map((event: { user: string }) => event.user)).toEqual(['by-invitation', 'by-scim'])
  })

  it('sorts by time, newest first by default', async () => {
    const roles = ['reader', 'member', 'snapshotter', 'admin']
    await addPerson(app, 'climber', roles[0])
    for (const role of roles.slice(1)) {
      app.clock.advance(1000)
      await app.admin.put('/members/acme/climber', { role })
    }
    const sorted = async (query: string) => {
      const { body } = await app.admin.get(`/membership-audit-log/acme?search=climber${query}`)
      return body.events.map((event: { role: string }) => event.role)
    }
    expect(await sorted('&sort_by=when&sort_dir=asc')).toEqual(roles)
    for (const query of ['&sort_by=when&sort_dir=desc', '&sort_by=when', '']) {
      expect(await sorted(query)).toEqual(roles.toReversed())
    }
  })

  it('shows the user name of a person without a display name', async () => {
    await addPerson(app, 'lee', 'reader')
    const { body } = await app.admin.get('/membership-audit-log/acme?search=lee')
    expect(body.events[0].user).toBe('lee')
  })

  it('shows the display name of a person who has one', async () => {
    await addPerson(app, 'kim', 'reader')
    await app.sql("update users set display_name = 'Kim K.' where name = 'kim'")
    await app.admin.put('/members/acme/kim', { role: 'member' })
    const { body } = await app.admin.get('/membership-audit-log/acme?search=kim&event_type=changed')
    expect(body.events[0].user).toBe('Kim K.')
  })
})

describe('trails found by a commit', () => {
  it.each<[string, Kind, unknown]>([
    ['page', 'an integer', 1],
    ['per_page', 'an integer', 15],
    ['total_pages', 'an integer', 1],
    ['total_count', 'an integer', 1],
    ['trails', 'an array of objects', expect.any(Array)],
    ['_links', 'an object', expect.objectContaining({ self: expect.anything() })],
    ['trails[0].flow_name', 'a string', 'ci'],
    ['trails[0].trail_name', 'a string', 'run'],
    ['trails[0].branch', 'a string', 'main'],
    ['trails[0].url', 'a string', 'http://waybill.test/acme/flows/ci/trails/run'],
    ['trails[0]._links', 'an object', expect.objectContaining({ self: expect.anything() })],
  ])('have %s, %s', (field, kind, value) => {
    expectKind(found, field, kind)
    expect(readValue(found, field)).toEqual(value)
  })

  it.each(['page=0', 'page=1000001', 'page=1.5', 'per_page=0', 'per_page=51'])('reject %s', async query => {
    const { status, body } = await app.reader.get(`/search/acme/commit/${SHA}/trails?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [`query.${query.split('=')[0]}`]])
  })

  it.each(['page=1', 'page=1000000', 'per_page=1', 'per_page=50'])('accept %s', async query => {
    expect((await app.reader.get(`/search/acme/commit/${SHA}/trails?${query}`)).status).toBe(200)
  })
})
