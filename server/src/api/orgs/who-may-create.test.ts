// Who may create organizations (WAYBILL_ORG_CREATION): anyone, admins of a shared organization, or nobody.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptInvitation, insertSession, makeBrowser } from '../../../test/browser.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { tokenFor } from '../../../test/people.ts'
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
