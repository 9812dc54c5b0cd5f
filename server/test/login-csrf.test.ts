// Login CSRF: a page of another site tries to sign a visitor in, as themselves or as somebody else, or to sign them
// out. The browser is the victim's, and the forms are the attacker's.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  acceptInvitation,
  type Browser,
  countSessions,
  insertSession,
  makeBrowser,
  readInvitationForm,
  readMailedToken,
  readQueuedMails,
  setEmail,
} from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import { tokenFor } from './people.ts'

let app: TestApp
let invited = 0
beforeAll(async () => {
  app = await startTestApp()
  await setEmail(app, 'max', 'max@acme.example')
})
afterAll(() => app.stop())

async function invite(): Promise<string> {
  const email = `invited-${++invited}@example.com`
  expect((await app.admin.post('/invitations/acme', { email, role: 'member' })).status).toBe(201)
  return tokenFor(app, email)
}

const CROSS_SITE = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: `${BASE_URL}.evil.example` },
  { origin: 'http://waybill.test:8443' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: BASE_URL, 'sec-fetch-site': 'cross-site' },
  { origin: 'not an address' },
]
const OWN_PAGE = [
  {},
  { origin: BASE_URL },
  { origin: BASE_URL, 'sec-fetch-site': 'same-origin' },
  // Browsers send this for forms on pages that send no referrer, such as ours.
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { origin: 'null' },
  { origin: 'http://localhost:8001', host: 'localhost:8001' },
]

describe('an invitation', () => {
  it('is rejected without the page of this browser, and is not used up', async () => {
    const token = await invite()
    const before = await countSessions(app)
    const victim = makeBrowser(app.server)
    const known = makeBrowser(app.server)
    await known.get('/sign-in')
    const attacker = makeBrowser(app.server)
    const form = await readInvitationForm(attacker, token)
    const refused = [
      await victim.submit('/auth/invitation/redeem', { token }),
      await victim.submit('/auth/invitation/redeem', form),
      await known.submit('/auth/invitation/redeem', { token }),
      await known.submit('/auth/invitation/redeem', form),
      await known.post('/auth/invitation/redeem', { token }),
      await attacker.submit('/auth/invitation/redeem', { ...form, token: await invite() }),
    ]
    for (const { status, text, set_cookies } of refused) {
      expect(status).toBe(403)
      expect(text).toContain('Open the link in the mail again')
      expect(set_cookies.filter(cookie => cookie.startsWith('__Host-waybill='))).toEqual([])
    }
    expect(await countSessions(app)).toBe(before)
    expect((await acceptInvitation(known, token)).status).toBe(303)
  })

  it.each(CROSS_SITE)('is rejected with %j, and is not used up', async headers => {
    const token = await invite()
    const browser = makeBrowser(app.server)
    const form = await readInvitationForm(browser, token)
    const { status, set_cookies } = await browser.submit('/auth/invitation/redeem', form, headers)
    expect([status, set_cookies]).toEqual([403, []])
    expect((await browser.submit('/auth/invitation/redeem', form)).status).toBe(303)
  })

  it.each(OWN_PAGE)('is accepted with %j', async headers => {
    const browser = makeBrowser(app.server)
    const form = await readInvitationForm(browser, await invite())
    expect((await browser.submit('/auth/invitation/redeem', form, headers)).status).toBe(303)
  })
})

describe('a page of another site', () => {
  async function newSignedInBrowser(): Promise<Browser> {
    const browser = makeBrowser(app.server)
    browser.cookies.set('__Host-waybill', await insertSession(app, 'max'))
    return browser
  }

  it.each(CROSS_SITE)('with %j cannot request a link, redeem one or sign out', async headers => {
    const mails = (await readQueuedMails(app)).length
    const browser = makeBrowser(app.server)
    const asked = await browser.submit('/auth/link', { email: 'max@acme.example' }, headers)
    expect([asked.status, asked.set_cookies]).toEqual([403, []])
    expect(asked.text).toContain('another site')
    expect((await readQueuedMails(app)).length).toBe(mails)

    await browser.submit('/auth/link', { email: 'max@acme.example' })
    const token = await readMailedToken(app)
    const redeemed = await browser.post('/auth/link/redeem', { token }, headers)
    expect([redeemed.status, redeemed.body.message]).toEqual([403, expect.stringContaining('another site')])
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(303)

    const signedIn = await newSignedInBrowser()
    const sent = { ...signedIn.csrf(), ...headers }
    expect((await signedIn.post('/auth/sign-out', {}, sent)).status).toBe(403)
    expect((await signedIn.get('/auth/session')).status).toBe(200)
    app.clock.advance(11 * 60_000)
  })

  it('can still link to the pages', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const browser = makeBrowser(app.server)
    expect((await browser.get('/sign-in', headers)).status).toBe(200)
    expect((await browser.get(`/auth/invitation?token=${await invite()}`, headers)).status).toBe(200)
  })
})
