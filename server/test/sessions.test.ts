// Browser sessions: the matrix of credentials and CSRF tokens, the two time limits, and signing out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeCsrfToken, SESSION_COOKIE } from '../src/lib/session-token.ts'
import { type Browser, insertSession, makeBrowser, setEmail, signInByMail } from './browser.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'

const HOUR_MS = 60 * 60 * 1000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await setEmail(app, 'max', 'max@acme.example')
})
afterAll(() => app.stop())

async function newSignedInBrowser(user: string): Promise<Browser> {
  const browser = makeBrowser(app.server)
  browser.cookies.set(SESSION_COOKIE, await insertSession(app, user))
  return browser
}

describe('the matrix of credentials', () => {
  const AUTHORIZATIONS = ['none', 'valid', 'invalid', 'empty', 'malformed'] as const
  const TOKENS = ['right', 'wrong', 'none'] as const
  const cells = AUTHORIZATIONS.flatMap(authorization =>
    [true, false].flatMap(has_cookie =>
      TOKENS.flatMap(csrf => [true, false].map(is_safe => ({ authorization, has_cookie, csrf, is_safe }))),
    ),
  )
  type Cell = (typeof cells)[number]

  /** Follows the rule, not the code: a header wins over the cookie, and the cookie needs the token for changes. */
  function expectedStatus({ authorization, has_cookie, csrf, is_safe }: Cell): number {
    if (authorization !== 'none') return authorization === 'valid' ? 200 : 401
    if (!has_cookie) return 401
    return is_safe || csrf === 'right' ? 200 : 403
  }

  function buildHeaders({ authorization, has_cookie, csrf }: Cell, secret: string): Record<string, string> {
    const sent = {
      none: undefined,
      valid: `Bearer ${app.member.key}`,
      invalid: `Bearer ${(app.member.key ?? '').slice(0, -1)}`,
      empty: '',
      malformed: 'Bearer',
    }[authorization]
    const token = { right: computeCsrfToken(secret), wrong: computeCsrfToken('x'), none: undefined }[csrf]
    return {
      ...(sent === undefined ? {} : { authorization: sent }),
      ...(has_cookie ? { cookie: `${SESSION_COOKIE}=${secret}` } : {}),
      ...(token === undefined ? {} : { 'x-csrf-token': token }),
    }
  }

  it('has 60 cells', () => expect(cells).toHaveLength(60))

  it.each(cells)('%o', async cell => {
    const secret = await insertSession(app, 'max')
    const answer = await app.server.inject({
      method: cell.is_safe ? 'GET' : 'PUT',
      url: cell.is_safe ? `/api/v2/flows/${ORG}` : `/api/v2/user/${ORG}`,
      headers: buildHeaders(cell, secret),
    })
    expect(answer.statusCode).toBe(expectedStatus(cell))
  })

  it('trusts the header over the cookie', async () => {
    const browser = await newSignedInBrowser('ada')
    const headers = { ...browser.csrf(), authorization: `Bearer ${app.outsider.key}` }
    expect((await browser.get(`/api/v2/flows/${ORG}`, headers)).status).toBe(403)
    expect((await browser.get('/auth/session', headers)).status).toBe(401)
  })

  it('accepts no session as a key and no key as a session', async () => {
    const secret = await insertSession(app, 'max')
    expect((await app.makeClientWith(secret).get(`/flows/${ORG}`)).status).toBe(401)
    const browser = makeBrowser(app.server)
    browser.cookies.set(SESSION_COOKIE, app.member.key ?? '')
    expect((await browser.get(`/api/v2/flows/${ORG}`)).status).toBe(401)
  })

  it('accepts no CSRF token from another session', async () => {
    const [browser, other] = [await newSignedInBrowser('max'), await newSignedInBrowser('max')]
    expect((await browser.send('DELETE', '/api/v2/user/sessions', other.csrf())).status).toBe(403)
  })
})

describe('the limits', () => {
  it('end a session after 12 idle hours', async () => {
    const browser = await newSignedInBrowser('max')
    app.clock.advance(12 * HOUR_MS - 1)
    const still = await newSignedInBrowser('max')
    expect((await browser.get('/auth/session')).status).toBe(200)
    app.clock.advance(12 * HOUR_MS)
    expect((await still.get('/auth/session')).status).toBe(401)
  })

  it('keep a session that is used, and still end it after 7 days', async () => {
    const browser = await newSignedInBrowser('max')
    for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
      expect((await browser.get('/auth/session')).status, `after ${hours} hours`).toBe(200)
      await untilTouched(browser)
      app.clock.advance(6 * HOUR_MS)
    }
    expect((await browser.get('/auth/session')).status).toBe(200)
    await untilTouched(browser)
    app.clock.advance(6 * HOUR_MS)
    expect((await browser.get('/auth/session')).status).toBe(401)
  })

  /** The last use is stored after the response. */
  async function untilTouched(browser: Browser): Promise<void> {
    const seen = 'select 1 from sessions where secret_hash = sha256($1::bytea) and last_seen_at = $2'
    await until(async () => (await app.sql(seen, [browser.session(), app.clock.now()])).length > 0)
  }
})

describe('the settings', () => {
  it('determine how long a session lasts, including existing sessions', async () => {
    const other = await startTestApp({
      settings: { WAYBILL_SESSION_IDLE: '30m', WAYBILL_SESSION_MAX: '2h' },
    })
    await setEmail(other, 'max', 'max@acme.example')
    const browser = await signInByMail(other, 'max@acme.example')
    const { expires_at } = (await browser.get('/auth/session')).body
    expect(expires_at).toBe(other.clock.now().getTime() / 1000 + 30 * 60)
    other.clock.advance(0.5 * HOUR_MS)
    expect((await browser.get('/auth/session')).status).toBe(401)
    expect((await other.member.get('/user/sessions')).body).toEqual([])

    // This session was created when sessions lasted a week.
    const old = makeBrowser(other.server)
    old.cookies.set(SESSION_COOKIE, await insertSession(other, 'max'))
    const seen = "update sessions set last_seen_at = $1 where user_agent = ''"
    other.clock.advance(2 * HOUR_MS - 1)
    await other.sql(seen, [other.clock.now()])
    expect((await old.get('/auth/session')).status).toBe(200)
    const [session] = (await other.member.get('/user/sessions')).body
    expect(session.expires_at).toBe((other.clock.now().getTime() + 1) / 1000)
    other.clock.advance(1)
    await other.sql(seen, [other.clock.now()])
    expect((await old.get('/auth/session')).status).toBe(401)
    expect((await other.member.get('/user/sessions')).body).toEqual([])
    const entered = await signInByMail(other, 'max@acme.example')
    expect(entered.session()).toBeDefined()
    await other.stop()
  })
})

describe('signing out', () => {
  it('ends the session and removes the cookie', async () => {
    const browser = await signInByMail(app, 'max@acme.example')
    const secret = browser.session() ?? ''
    const answer = await browser.post('/auth/sign-out', {}, browser.csrf())
    expect(answer.status).toBe(200)
    expect(answer.set_cookies).toEqual(['__Host-waybill=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax'])
    browser.cookies.set(SESSION_COOKIE, secret)
    expect((await browser.get('/auth/session')).status).toBe(401)
    expect((await browser.get(`/api/v2/flows/${ORG}`)).status).toBe(401)
  })

  it.each([
    ['no token', {}],
    ['a wrong token', { 'x-csrf-token': 'wrong' }],
  ])('is rejected with %s', async (_what, headers) => {
    const browser = await newSignedInBrowser('max')
    expect((await browser.post('/auth/sign-out', {}, headers)).status).toBe(403)
    expect((await browser.submit('/auth/sign-out', {})).status).toBe(403)
    expect((await browser.get('/auth/session')).status).toBe(200)
  })

  it('is rejected without a session, and with a key', async () => {
    expect((await makeBrowser(app.server).post('/auth/sign-out', {})).status).toBe(401)
    const browser = await newSignedInBrowser('max')
    const headers = { ...browser.csrf(), authorization: `Bearer ${app.member.key}` }
    expect((await browser.post('/auth/sign-out', {}, headers)).status).toBe(401)
    expect((await browser.get('/auth/session')).status).toBe(200)
  })
})

it('a deactivated user has no session', async () => {
  const browser = await newSignedInBrowser('sam')
  await app.sql("update users set deactivated_at = now() where name = 'sam'")
  expect((await browser.get('/auth/session')).status).toBe(401)
  expect((await browser.get(`/api/v2/flows/${ORG}`)).status).toBe(401)
})
