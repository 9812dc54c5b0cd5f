// Links in mails, opened in any browser and in any state: every page leads on, and nobody is locked out by opening one.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BROWSER_COOKIE, SESSION_COOKIE } from '../src/lib/session-token.ts'
import {
  type Browser,
  type BrowserResponse,
  insertSession,
  makeBrowser,
  readMailedToken,
  readQueuedMails,
  setEmail,
  signInByMail,
} from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { tokenFor } from './people.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(() => setEmail(app, 'max', 'max@acme.example'))
afterAll(() => app.stop())

const BROWSERS: Record<string, () => Promise<Browser>> = {
  'a new browser': async () => makeBrowser(app.server),
  'a browser that was here before': async () => {
    const browser = makeBrowser(app.server)
    await browser.get('/sign-in')
    return browser
  },
  'a browser with broken cookies': async () => {
    const browser = makeBrowser(app.server)
    browser.cookies.set(BROWSER_COOKIE, 'broken')
    browser.cookies.set(SESSION_COOKIE, 'broken')
    return browser
  },
  'a browser whose session has ended': async () => {
    const browser = await signIn('max')
    await app.sql('update sessions set ended_at = now() where ended_at is null')
    return browser
  },
  'a browser of the same person': () => signIn('max'),
  'a browser of another person': () => signIn('rita'),
}

async function signIn(user: string): Promise<Browser> {
  const browser = makeBrowser(app.server)
  browser.cookies.set(SESSION_COOKIE, await insertSession(app, user))
  return browser
}

let invited = 0
const LINKS: Record<string, { path: string; lives_ms: number; make(): Promise<string> }> = {
  'a sign-in link': {
    path: '/auth/link',
    lives_ms: 10 * 60_000,
    make: async () => {
      await makeBrowser(app.server).submit('/auth/link', { email: 'max@acme.example' })
      return readMailedToken(app)
    },
  },
  'an invitation': {
    path: '/auth/invitation',
    lives_ms: 7 * DAY_MS,
    make: async () => {
      const email = `invited-${++invited}@example.com`
      await app.admin.post('/invitations/acme', { email, role: 'member' })
      return tokenFor(app, email)
    },
  },
  'a link to a new address': {
    path: '/auth/address',
    lives_ms: HOUR_MS,
    make: async () => {
      const max = await signIn('max')
      const email = `new-${++invited}@acme.example`
      await max.send('PUT', '/api/v2/user/settings/email', {
        ...max.csrf(),
        type: 'application/json',
        payload: JSON.stringify({ email }),
      })
      const mail = (await readQueuedMails(app)).findLast(({ to }) => to === email)
      return /\/auth\/address\?token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? ''
    },
  },
}

const EVERY = Object.keys(BROWSERS)
const CHANGED = ['a new browser', 'a browser whose session has ended', 'a browser of another person']
/** Each state of a link, with the browsers in which it is opened. */
const STATES = { fresh: EVERY, used: CHANGED, expired: CHANGED, 'cut off': ['a new browser'] } as const
type LinkState = keyof typeof STATES

async function makeLink(kind: string, state: LinkState): Promise<string> {
  const { path = '', lives_ms = 0, make = async () => '' } = LINKS[kind] ?? {}
  const token = await make()
  expect(token).not.toBe('')
  if (state === 'used') {
    const ended =
      path === '/auth/link'
        ? 'sign_in_links set redeemed_at'
        : path === '/auth/address'
          ? 'address_proofs set ended_at'
          : 'invitations set accepted_at'
    await app.sql(`update ${ended} = now()`)
  }
  if (state === 'expired') app.clock.advance(lives_ms)
  return `${path}?token=${state === 'cut off' ? token.slice(0, -9) : token}`
}

/** Presses the button of the page, if it has one, and returns what follows. */
async function press(browser: Browser, page: BrowserResponse): Promise<BrowserResponse> {
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1]
  if (action === undefined) return page
  const fields = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  return browser.submit(action, Object.fromEntries(fields.map(([, name, value]) => [name, value])))
}

async function follow(browser: Browser, page: BrowserResponse): Promise<BrowserResponse> {
  const next = page.location ?? /<a class="action" href="([^"]+)"/.exec(page.text)?.[1]
  expect(next, page.text).toBeDefined()
  return browser.get(next === '/' ? '/sign-in' : (next ?? ''))
}

describe.each(Object.keys(LINKS))('%s', kind => {
  const cases = Object.entries(STATES).flatMap(([state, browsers]) =>
    browsers.map(browser => [state as LinkState, browser] as const),
  )
  it.each(cases)('%s, opened in %s, leads on', async (state, name) => {
    const browser = (await BROWSERS[name]?.()) ?? makeBrowser(app.server)
    const link = await makeLink(kind, state)
    const opened = await browser.get(link, { accept: 'text/html' })
    expect([200, 403]).toContain(opened.status)
    const pressed = await press(browser, opened)
    expect([200, 303, 403]).toContain(pressed.status)
    const next = await follow(browser, pressed)
    expect(next.text).toMatch(/name="email"|You are signed in as/)
    app.clock.advance(HOUR_MS)
    await signInByMail(app, 'max@acme.example', browser)
    expect((await browser.get('/auth/session')).body.user).toBe('max')
  })
})
