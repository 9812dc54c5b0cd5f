// Who may create organizations (WAYBILL_ORG_CREATION): anyone, admins of a shared organization, or nobody; and how many
// one person may open (WAYBILL_ORGS_PER_PERSON).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptInvitation, insertSession, makeBrowser } from '../../../test/browser.ts'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson, tokenFor } from '../../../test/people.ts'
import { deleteOrgRows } from '../../db/org-removal.ts'
import { SESSION_COOKIE } from '../../lib/session-token.ts'

const ONLY_ADMINS =
  'Only admins of a shared organization may create organizations here; ask an admin of yours'
const NOBODY = 'Only the operator may create organizations here; ask the operator for one'

const readSession = async (app: TestApp, user: string) => {
  const browser = makeBrowser(app.server)
  browser.cookies.set(SESSION_COOKIE, await insertSession(app, user))
  return (await browser.get('/auth/session')).body
}
const countOrgs = async (app: TestApp) => (await app.sql('select count(*)::int as n from orgs'))[0]?.n

describe('anyone', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.stop())

  it('201: every person may create organizations by default', async () => {
    expect((await app.reader.post('/organizations', { name: 'of-rita' })).status).toBe(201)
    expect((await readSession(app, 'max')).may_create_orgs).toBe(true)
  })
})

describe('admins', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_CREATION: 'admins' } })
  })
  afterAll(() => app.stop())

  it('201: an admin of a shared organization may create one', async () => {
    expect((await app.admin.post('/organizations', { name: 'of-ada' })).status).toBe(201)
    expect((await readSession(app, 'ada')).may_create_orgs).toBe(true)
  })

  it('403: everyone else learns who may, and nothing is stored', async () => {
    const before = await countOrgs(app)
    for (const client of [app.member, app.snapshotter, app.reader]) {
      const answer = await client.post('/organizations', { name: 'of-others' })
      expect(answer).toMatchObject({ status: 403, body: { message: ONLY_ADMINS } })
    }
    expect(await countOrgs(app)).toBe(before)
    // Being admin of a personal organization does not count.
    expect(await readSession(app, 'max')).toMatchObject({
      orgs: [
        { name: 'acme', role: 'member' },
        { name: 'max', role: 'admin' },
      ],
      may_create_orgs: false,
    })
  })

  it('403: being admin of an organization that is being deleted does not count', async () => {
    expect((await app.outsider.delete('/organizations/other-corp', { confirm: 'other-corp' })).status).toBe(
      200,
    )
    const answer = await app.outsider.post('/organizations', { name: 'of-oscar' })
    expect(answer).toMatchObject({ status: 403, body: { message: ONLY_ADMINS } })
    expect((await readSession(app, 'oscar')).may_create_orgs).toBe(false)
  })
})

describe('nobody', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_CREATION: 'nobody' } })
  })
  afterAll(() => app.stop())

  it('403: not even admins', async () => {
    const before = await countOrgs(app)
    const answer = await app.admin.post('/organizations', { name: 'of-ada' })
    expect(answer).toMatchObject({ status: 403, body: { message: NOBODY } })
    expect(await countOrgs(app)).toBe(before)
    expect((await readSession(app, 'ada')).may_create_orgs).toBe(false)
  })

  it('people still get in by invitation', async () => {
    await app.admin.post('/invitations/acme', { email: 'nora@example.com', role: 'member' })
    const token = await tokenFor(app, 'nora@example.com')
    const browser = makeBrowser(app.server)
    expect((await acceptInvitation(browser, token)).status).toBe(303)
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'nora', may_create_orgs: false })
  })
})

describe('one person', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_OPENERS: 'ada' } })
  })
  afterAll(() => app.stop())
  const open = (client: Client, name: string) => client.post('/organizations', { name })

  it('201 five times and then 403, even for forty requests at once', async () => {
    // With one key they would wait for each other anyway, because each locks the key.
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => app.member.post('/user/api-keys', { description: 'one of several' })),
    )
    const clients = keys.map(({ body }) => app.makeClientWith(body.key))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => open(clients[i % clients.length] ?? app.member, `of-max-${i}`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(35).fill(403),
    ])
    expect(await app.sql("select from orgs where name like 'of-max-%'")).toHaveLength(5)
    const refused = answers.find(({ status }) => status === 403)
    expect(refused?.body.message).toMatch(
      /^You may open at most 5 here, and have opened 5 already; .* Ask the operator/,
    )
    expect((await open(app.reader, 'of-rita')).status).toBe(201)
  })

  it('201: a retry of the last one that the limit allows', async () => {
    const post = () =>
      app.snapshotter.call('POST', '/organizations', { name: 'of-sam-5' }, { 'idempotency-key': 'fifth' })
    for (let i = 1; i < 5; i++) await open(app.snapshotter, `of-sam-${i}`)
    expect([(await post()).status, (await post()).status]).toEqual([201, 201])
    expect((await open(app.snapshotter, 'of-sam-6')).status).toBe(403)
  })

  it('403: a deleted one counts until the operator removes it', async () => {
    const [row] = await app.sql("select org_id, name from orgs where name like 'of-max-%' limit 1")
    const { org_id, name } = row as { org_id: string; name: string }
    await app.member.delete(`/organizations/${name}`, { confirm: name })
    expect((await open(app.member, 'of-max-again')).status).toBe(403)
    await deleteOrgRows(app.owner, org_id)
    expect((await open(app.member, 'of-max-again')).status).toBe(201)
  })

  it('403: leaving an organization makes no room for another one', async () => {
    const name = 'of-max-again'
    await addPerson(app, 'heir')
    await app.member.post(`/invitations/${name}`, { email: 'heir@example.com', role: 'admin' })
    await acceptInvitation(makeBrowser(app.server), await tokenFor(app, 'heir@example.com'))
    expect((await app.member.delete(`/members/${name}/max`)).status).toBe(200)
    expect((await open(app.member, 'of-max-more')).status).toBe(403)
  })

  it('201: whom the operator names may open more', async () => {
    for (let i = 0; i < 7; i++) expect((await open(app.admin, `of-ada-${i}`)).status).toBe(201)
  })

  it('is not limited in what the operator makes for them', async () => {
    expect(await app.sql("select from org_openers join orgs using (org_id) where name = 'acme'")).toEqual([])
  })
})
