// Required single sign-on, by an organization and by the whole installation, with break-glass people who can still
// sign in by mail.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Browser,
  insertSession,
  makeBrowser,
  readInvitationForm,
  readMailedToken,
  readQueuedMails,
  setEmail,
  signInByMail,
} from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'
import { tokenFor } from './people.ts'
import { makeStatementLog } from './statement-log.ts'

let provider: FaultyProvider
beforeAll(async () => {
  provider = await startFaultyProvider()
})
afterAll(() => provider.stop())

const buildSettings = (more: Record<string, string> = {}) => ({
  WAYBILL_OIDC_ISSUER: provider.issuer,
  WAYBILL_OIDC_CLIENT_ID: CLIENT.client_id,
  WAYBILL_OIDC_CLIENT_SECRET: CLIENT.client_secret,
  WAYBILL_OIDC_NAME: 'Acme login',
  ...more,
})

async function signInBySso(app: TestApp, email: string, browser = makeBrowser(app.server)): Promise<Browser> {
  const { location } = await browser.get('/auth/sso/sso')
  const back = provider.signIn(location ?? '', { sub: `${email}-sub`, email, email_verified: true }, {})
  expect((await browser.get(back.slice(BASE_URL.length))).status).toBe(303)
  return browser
}

async function newSignedInBrowser(app: TestApp, user: string): Promise<Browser> {
  const browser = makeBrowser(app.server)
  browser.cookies.set('__Host-waybill', await insertSession(app, user))
  return browser
}

const changeSettings = (browser: Browser, settings: Record<string, unknown>) =>
  browser.send('PATCH', '/api/v2/organizations/acme', {
    ...browser.csrf(),
    type: 'application/json',
    payload: JSON.stringify({ settings }),
  })

describe('an organization', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: buildSettings() })
    for (const name of ['ada', 'max', 'rita']) await setEmail(app, name, `${name}@acme.example`)
  })
  afterAll(() => app.stop())

  const requireSso = (break_glass: string[] = []) =>
    signInBySso(app, 'ada@acme.example').then(ada => changeSettings(ada, { sso_required: true, break_glass }))
  const read = (browser: Browser) => browser.get('/api/v2/flows/acme')

  it('cannot require it without a provider', async () => {
    const other = await startTestApp()
    const { status, body } = await other.admin.patch('/organizations/acme', {
      settings: { sso_required: true, break_glass: ['ada'] },
    })
    await other.stop()
    expect([status, Object.keys(body.errors)]).toEqual([400, ['settings.sso_required']])
  })

  it('keeps an admin from locking themselves out', async () => {
    const ada = await newSignedInBrowser(app, 'ada')
    const refused = await changeSettings(ada, { sso_required: true })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['settings.sso_required']])
    expect((await changeSettings(ada, { sso_required: true, break_glass: ['ada'] })).status).toBe(200)
    const locking = await changeSettings(ada, { break_glass: [] })
    expect([locking.status, Object.keys(locking.body.errors)]).toEqual([400, ['settings.break_glass']])
    expect((await changeSettings(ada, { sso_required: false, break_glass: [] })).status).toBe(200)
    // A key has no session, so somebody must be able to sign in without the provider.
    const byKey = await app.admin.patch('/organizations/acme', { settings: { sso_required: true } })
    expect(byKey.status).toBe(400)
    expect(await app.sql("select settings from orgs where name = 'acme'")).toEqual([
      { settings: expect.objectContaining({ sso_required: false, break_glass: [] }) },
    ])
  })

  it.each(['max', 'nobody'])('accepts only its admins as break-glass people, not %s', async name => {
    const refused = await requireSso(['ada', name])
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual({
      'settings.break_glass': `'${name}' is not an admin of organization 'acme'`,
    })
  })

  it('rejects sessions from other sign-in methods immediately, but not keys', async () => {
    const byMail = await signInByMail(app, 'max@acme.example')
    const bySsoBefore = await signInBySso(app, 'rita@acme.example')
    expect((await read(byMail)).status).toBe(200)
    expect((await requireSso()).status).toBe(200)
    const refused = await read(byMail)
    expect(refused.status).toBe(403)
    expect(refused.body.message).toBe(
      "Organization 'acme' requires single sign-on. Sign in through the identity provider: /sign-in?sso=1",
    )
    const changed = await byMail.send('PUT', '/api/v2/user/acme', byMail.csrf())
    expect(changed.status).toBe(403)
    expect((await byMail.get('/api/v2/flows/max')).status).toBe(200)
    expect((await read(bySsoBefore)).status).toBe(200)
    expect((await app.member.get('/flows/acme')).status).toBe(200)
    const { orgs } = (await byMail.get('/auth/session')).body
    expect(orgs).toEqual([
      { name: 'acme', role: 'member', needs_sso: true },
      { name: 'max', role: 'admin', needs_sso: false },
    ])
    const page = await byMail.get('/sign-in?sso=1&next=/acme/flows')
    expect(page.text).toContain('href="/auth/sso/sso?next=%2Facme%2Fflows">Continue with Acme login</a>')
    expect(page.text).not.toContain('name="email"')
    await signInBySso(app, 'max@acme.example', byMail)
    expect((await read(byMail)).status).toBe(200)
    expect((await byMail.get('/auth/session')).body.orgs[0]).toMatchObject({ needs_sso: false })
  })

  it('gives no personal key to a session that it rejects', async () => {
    await requireSso()
    const create = (browser: Browser) =>
      browser.post('/api/v2/user/api-keys', { description: 'around it' }, browser.csrf())
    const refused = await create(await newSignedInBrowser(app, 'max'))
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("'acme' requires")])
    const max = await newSignedInBrowser(app, 'max')
    const [key] = (await max.get('/api/v2/user/api-keys')).body
    const rotated = await max.post(`/api/v2/user/api-keys/${key.id}/rotate`, {}, max.csrf())
    expect([rotated.status, rotated.body.message]).toEqual([403, expect.stringContaining("'acme' requires")])
    expect((await create(await signInBySso(app, 'max@acme.example'))).status).toBe(201)
  })

  it('keeps public access unchanged', async () => {
    await requireSso()
    await app.member.put('/flows/acme', { name: 'open', description: '', visibility: 'public' })
    await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    expect((await (await newSignedInBrowser(app, 'max')).get('/api/v2/flows/acme/open')).status).toBe(200)
    await app.admin.patch('/organizations/acme', { settings: { public_read: false } })
    expect((await (await newSignedInBrowser(app, 'max')).get('/api/v2/flows/acme/open')).status).toBe(403)
  })

  it('lets a break-glass admin sign in by mail, only while they are an admin, and records it', async () => {
    await requireSso(['ada'])
    app.clock.advance(60 * 60_000)
    const ada = await signInByMail(app, 'ada@acme.example')
    expect((await read(ada)).status).toBe(200)
    const events = await app.sql(
      `select e.actor, e.data, o.name as org from events e join orgs o on o.org_id = e.org_id
       where e.kind = 'break_glass_sign_in'`,
    )
    expect(events).toEqual([
      { actor: 'ada', data: { user: 'ada', method: 'link', address: '127.0.0.1' }, org: 'acme' },
    ])
    await app.sql(
      `update memberships set role = 'member' where user_id = (select user_id from users where name = 'ada')
       and org_id = (select org_id from orgs where name = 'acme')`,
    )
    app.clock.advance(5_000)
    expect((await read(ada)).status).toBe(403)
  })
})

describe('an installation', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({
      settings: buildSettings({ WAYBILL_SSO_REQUIRED: 'true', WAYBILL_BREAK_GLASS: 'ada' }),
    })
    for (const name of ['ada', 'max']) await setEmail(app, name, `${name}@acme.example`)
  })
  afterAll(() => app.stop())

  it('mails links to break-glass people only, and handles every request in the same way', async () => {
    const before = (await readQueuedMails(app)).length
    const answers: unknown[] = []
    for (const name of ['ada', 'max', 'nobody']) {
      const { statements, waits, during } = makeStatementLog()
      const email = `${name}@acme.example`
      const { status, text } = await during(() => makeBrowser(app.server).post('/auth/link', { email }))
      answers.push({ status, text, statements: statements.length, waits: waits.length })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect((await readQueuedMails(app)).slice(before).map(({ to }) => to)).toEqual(['ada@acme.example'])
  })

  it('records who still signs in by mail', async () => {
    const ada = await signInByMail(app, 'ada@acme.example', makeBrowser(app.server, '203.0.113.7'))
    expect((await ada.get('/api/v2/flows/acme')).status).toBe(200)
    const recorded = await app.sql(
      `select o.name as org, e.data from events e join orgs o on o.org_id = e.org_id
       where e.kind = 'break_glass_sign_in'`,
    )
    expect(recorded).toEqual([{ org: 'ada', data: { user: 'ada', method: 'link', address: '203.0.113.7' } }])
  })

  it('accepts no link of other people, and ends the sessions that links created', async () => {
    const browser = makeBrowser(app.server)
    await app.sql("update users set name = 'ada-2' where name = 'ada'")
    await app.sql("update users set name = 'ada' where name = 'max'")
    await browser.post('/auth/link', { email: 'max@acme.example' })
    const token = await readMailedToken(app)
    await app.sql("update users set name = 'max' where name = 'ada'")
    await app.sql("update users set name = 'ada' where name = 'ada-2'")
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(403)
    expect((await (await newSignedInBrowser(app, 'max')).get('/auth/session')).status).toBe(401)
    expect((await (await newSignedInBrowser(app, 'ada')).get('/auth/session')).status).toBe(200)
    expect((await (await signInBySso(app, 'max@acme.example')).get('/auth/session')).status).toBe(200)
  })

  it('accepts an invitation only after sign-in, and uses it up only then', async () => {
    const email = 'nora@acme.example'
    await app.admin.post('/invitations/acme', { email, role: 'member' })
    const token = await tokenFor(app, email)
    const stranger = makeBrowser(app.server)
    const refused = await stranger.submit(
      '/auth/invitation/redeem',
      await readInvitationForm(stranger, token),
    )
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('href="/auth/sso/sso">Continue with Acme login</a>')
    expect(await app.sql('select 1 from users where email_key = $1', [email])).toEqual([])
    const max = await signInBySso(app, 'max@acme.example')
    const other = await max.submit('/auth/invitation/redeem', await readInvitationForm(max, token))
    expect(other.status).toBe(403)
    expect(other.text).toContain('You are signed in as <strong>max</strong>')
    const nora = await signInBySso(app, email)
    const session = nora.session()
    const accepted = await nora.submit('/auth/invitation/redeem', await readInvitationForm(nora, token))
    expect([accepted.status, accepted.location, nora.session()]).toEqual([303, '/', session])
    expect((await nora.get('/api/v2/flows/acme')).status).toBe(200)
    // Asking for a sign-in again would lead in a circle.
    for (const browser of [nora, max, stranger]) {
      const used = await browser.submit('/auth/invitation/redeem', await readInvitationForm(browser, token))
      expect([used.status, used.text]).toEqual([
        403,
        expect.stringContaining('This invitation does not work'),
      ])
      expect(used.text).not.toContain('still works')
    }
  })

  it('says with a refused link that single sign-on is required', async () => {
    const browser = makeBrowser(app.server)
    const { text } = await browser.submit('/auth/link/redeem', { token: 'x' })
    expect(text).toContain('<li>Single sign-on is required here')
    expect(text).toContain('href="/sign-in">Sign in</a>')
  })

  it('offers the provider, and mail on request', async () => {
    const browser = makeBrowser(app.server)
    expect((await browser.get('/auth/providers')).body).toMatchObject({ mail_links: false })
    const { text } = await browser.get('/sign-in')
    expect(text).toContain('Continue with Acme login')
    expect(text).not.toContain('name="email"')
    expect((await browser.get('/sign-in?mail=1')).text).toContain('name="email"')
  })
})
