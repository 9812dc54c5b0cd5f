// The sign-in page for new users, returning users, and users whose session has ended.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeBrowser, setEmail, signInByMail } from '../../test/browser.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { makeOwnerDb } from '../db/owner.ts'
import { systemSecrets } from '../lib/secrets.ts'
import { createHandedLink } from '../signin/links.ts'

const EMAIL = 'max@acme.example'
const MINUTE_MS = 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await setEmail(app, 'max', EMAIL)
})
afterAll(() => app.stop())
// Expires the links and sessions of one test before the next.
afterEach(() => app.clock.advance(8 * 24 * 60 * MINUTE_MS))

describe('the sign-in page', () => {
  it('has a field for the address, no script, and a policy that allows none', async () => {
    const { status, text, headers } = await makeBrowser(app.server).get('/sign-in')
    expect(status).toBe(200)
    expect(text).toContain('name="email"')
    expect(text).toContain('width=device-width')
    expect(text).not.toMatch(/<script|style=|onclick/)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })

  it('serves its style for light and dark', async () => {
    const { headers, text } = await makeBrowser(app.server).get('/auth/style.css')
    expect(headers['content-type']).toBe('text/css; charset=utf-8')
    expect(text).toContain('prefers-color-scheme: dark')
  })

  it('keeps the next path as text, whatever it contains', async () => {
    const evil = '/x"><script>alert(1)</script>'
    const { text } = await makeBrowser(app.server).get(`/sign-in?next=${encodeURIComponent(evil)}`)
    expect(text).not.toContain('<script')
  })

  it('shows who is signed in, with a button that signs out', async () => {
    const browser = await signInByMail(app, EMAIL)
    const { text } = await browser.get('/sign-in')
    expect(text).toContain('<strong>max</strong>')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const out = await browser.submit('/auth/sign-out', { csrf_token })
    expect([out.status, out.location]).toEqual([303, '/sign-in?signed_out=1'])
    expect((await browser.get('/auth/session')).status).toBe(401)
    const back = await browser.get(out.location ?? '')
    expect(back.text).toContain('You are signed out.')
    expect(back.text).toContain('name="email"')
  })

  it('leads a signed-in user to the requested page, and nowhere else', async () => {
    const browser = await signInByMail(app, EMAIL)
    expect((await browser.get('/sign-in?next=/acme/flows')).text).toContain('href="/acme/flows">Continue</a>')
    expect((await browser.get('/sign-in?next=//evil.example')).text).toContain('href="/">Continue</a>')
  })

  it('says that a session has ended if that is known, and only then', async () => {
    const ENDED = 'Your session has ended.'
    const browser = await signInByMail(app, EMAIL)
    expect((await browser.get('/sign-in')).text).not.toContain(ENDED)
    app.clock.advance(13 * 60 * MINUTE_MS)
    const { status, text } = await browser.get('/sign-in?next=/acme')
    expect(status).toBe(200)
    expect(text).toContain(ENDED)
    expect(text).toContain('name="next" value="/acme"')
    expect((await makeBrowser(app.server).get('/sign-in?ended=1')).text).toContain(ENDED)
    expect((await makeBrowser(app.server).get('/sign-in?next=/acme')).text).not.toContain(ENDED)
  })

  it('does not mention a first start without a printed link', async () => {
    expect((await makeBrowser(app.server).get('/sign-in')).text).not.toContain('The first start has printed')
  })
})

describe('the sign-in page after the first start', () => {
  const PRINTED = 'The first start has printed a link'
  let other: TestApp
  let token: string
  beforeEach(async () => {
    other = await startTestApp({ settings: { WAYBILL_REGION: 'eu-1' } })
    const [max] = await other.sql("select user_id from users where name = 'max'")
    const input = { user_id: String(max?.user_id), now: other.clock.now() }
    token = await createHandedLink(makeOwnerDb(other.owner), systemSecrets, input)
  })
  afterEach(() => other.stop())

  const readPage = async () => (await makeBrowser(other.server).get('/sign-in')).text

  it('points to the printed link until somebody has signed in', async () => {
    expect(await readPage()).toContain(PRINTED)
    expect(await readPage()).toContain('Region: eu-1')
    const entered = await makeBrowser(other.server).submit('/auth/link/redeem', { token })
    expect(entered.status).toBe(303)
    expect(await readPage()).not.toContain(PRINTED)
  })

  it('does not once the link has expired', async () => {
    other.clock.advance(24 * 60 * MINUTE_MS - 1)
    expect(await readPage()).toContain(PRINTED)
    other.clock.advance(1)
    expect(await readPage()).not.toContain(PRINTED)
  })
})
