// Signing in with a mailed link, and signing out, as a browser does it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type Browser,
  countSessions,
  makeBrowser,
  readMailedToken,
  readQueuedMails,
  setEmail,
  signInByMail,
} from '../../test/browser.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { makeStatementLog } from '../../test/statement-log.ts'
import { makeOwnerDb } from '../db/owner.ts'
import { systemSecrets } from '../lib/secrets.ts'
import { BROWSER_COOKIE, SESSION_COOKIE } from '../lib/session-token.ts'
import { createHandedLink } from '../signin/links.ts'

const EMAIL = 'max@acme.example'
const MINUTE_MS = 60_000
const COOKIE =
  /^__Host-waybill=wb_ses_\w{12}_\w{49}; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await setEmail(app, 'max', EMAIL)
})
afterAll(() => app.stop())
// Expires the links and sessions of one test before the next.
afterEach(() => app.clock.advance(8 * 24 * 60 * MINUTE_MS))

async function requestLink(
  email = EMAIL,
  browser = makeBrowser(app.server),
  next?: string,
): Promise<Browser> {
  await browser.submit('/auth/link', next === undefined ? { email } : { email, next })
  return browser
}

it('GET /auth/providers says what is possible', async () => {
  const { status, body } = await makeBrowser(app.server).get('/auth/providers')
  expect(status).toBe(200)
  expect(body).toEqual({ providers: [], mail_links: true, mail_delivery: 'file' })
})

describe('requesting a link', () => {
  it('mails one to the stored address, however the address was typed', async () => {
    const before = (await readQueuedMails(app)).length
    const browser = makeBrowser(app.server)
    const answer = await browser.post('/auth/link', { email: 'MAX@Acme.Example', next: '/flows/acme' })
    expect(answer.status).toBe(202)
    const mails = (await readQueuedMails(app)).slice(before)
    expect(mails.map(({ to }) => to)).toEqual([EMAIL])
    expect(mails[0]?.text).toMatch(/http:\/\/waybill\.test\/auth\/link\?token=wb_link_\w{12}_\w{49}\n/)
    expect(answer.set_cookies).toEqual([
      expect.stringMatching(
        /^__Host-waybill-browser=\w{43}; Path=\/; Max-Age=15552000; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it('also reaches a user without an org', async () => {
    await app.sql(
      "insert into users (user_id, name, email, created_at) values (gen_random_uuid(), 'lone', 'lone@acme.example', now())",
    )
    const browser = await signInByMail(app, 'lone@acme.example')
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'lone', orgs: [] })
  })

  it('returns the same response, for the same work, whether or not the address is known', async () => {
    await app.sql("update users set email = 'gone@acme.example', deactivated_at = now() where name = 'sam'")
    const before = (await readQueuedMails(app)).length
    const answers = []
    for (const email of [EMAIL, 'nobody@acme.example', 'gone@acme.example']) {
      const { statements, waits, during } = makeStatementLog()
      const answering = during(() => makeBrowser(app.server).post('/auth/link', { email }))
      const { status, text, headers } = await answering
      const cost = [statements.length, waits.length]
      answers.push({ status, text, names: Object.keys(headers).sort(), cost })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect((await readQueuedMails(app)).length).toBe(before + 1)
    await app.sql("update users set deactivated_at = null where name = 'sam'")
  })

  it('leaves nothing behind for unknown addresses', async () => {
    for (let i = 0; i < 30; i++) {
      app.clock.advance(1)
      await makeBrowser(app.server).post('/auth/link', { email: `nobody${i}@acme.example` })
    }
    const [row] = await app.sql('select count(*)::int as n from sign_in_attempts')
    expect(Number(row?.n)).toBeLessThanOrEqual(2)
  })

  it('sends one mail for a double click, and at most ten in ten minutes to strangers at one address', async () => {
    const before = (await readQueuedMails(app)).length
    const browser = makeBrowser(app.server)
    await browser.get('/sign-in')
    await Promise.all([requestLink(EMAIL, browser), requestLink(EMAIL, browser), requestLink(EMAIL, browser)])
    expect((await readQueuedMails(app)).length).toBe(before + 1)
    for (let i = 0; i < 15; i++) await requestLink()
    expect((await readQueuedMails(app)).length).toBe(before + 10)
  })

  it.each([
    ['no address', {}],
    ['text that is none', { email: 'max' }],
    ['two lines', { email: 'max@acme.example\nBcc: x@y.example' }],
    ['something else', { email: EMAIL, admin: true }],
    ['a list', []],
  ])('returns 400 for %s', async (_what, body) => {
    expect((await makeBrowser(app.server).post('/auth/link', body)).status).toBe(400)
  })

  it('shows an invalid form again, with the problem next to the field and the input', async () => {
    const { status, headers, text } = await makeBrowser(app.server).submit('/auth/link', {
      email: 'max"',
      next: '/acme/flows',
    })
    expect([status, headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
    expect(text).toMatch(/<p class="problem" id="email-problem" role="alert">This is not a mail address\./)
    expect(text).toMatch(
      /<input id="email" .*value="max&quot;".*="email-problem email-hint" aria-invalid="true"/,
    )
    expect(text).toContain('name="next" value="/acme/flows"')
  })

  it.each([{}, { next: '/acme' }, { email: EMAIL, admin: 'true' }])('shows it for %j too', async fields => {
    const { status, text } = await makeBrowser(app.server).submit('/auth/link', fields as { email: string })
    expect(status).toBe(400)
    expect(text).toContain('role="alert"')
  })

  it('shows the same page for every address, with where to find the mail and how to try again', async () => {
    const pages = []
    for (const email of [EMAIL, 'nobody@acme.example']) {
      const fields = { email, next: '/acme/flows' }
      const { status, text } = await makeBrowser(app.server).submit('/auth/link', fields)
      expect(status).toBe(202)
      pages.push(text.replace(email, ''))
    }
    expect(pages[1]).toBe(pages[0])
    expect(pages[0]).toContain('<h1>Check your mail</h1>')
    expect(pages[0]).toContain('Mail is not set up here')
    expect(pages[0]).toContain('href="/sign-in?next=%2Facme%2Fflows"')
  })

  it('accepts no form in the API', async () => {
    const answer = await makeBrowser(app.server).submit('/api/v2/service-accounts/acme', { name: 'x' })
    expect([401, 404, 405, 415]).toContain(answer.status)
  })
})

describe('a mailed link', () => {
  it('signs in once, with a new session and a cookie with every flag', async () => {
    const browser = await requestLink(EMAIL, makeBrowser(app.server), '/flows/acme?x=1')
    const token = await readMailedToken(app)
    const page = await browser.get(`/auth/link?token=${token}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain(`value="${token}"`)
    expect(page.headers['referrer-policy']).toBe('no-referrer')
    expect(page.headers['cache-control']).toBe('no-store')
    const entered = await browser.submit('/auth/link/redeem', { token })
    expect([entered.status, entered.location]).toEqual([303, '/flows/acme?x=1'])
    expect(entered.set_cookies).toEqual([
      expect.stringContaining(`${BROWSER_COOKIE}=`),
      expect.stringMatching(COOKIE),
    ])
    const { status, body } = await browser.get('/auth/session')
    expect(status).toBe(200)
    expect(body).toEqual({
      user_id: expect.stringMatching(/^[0-9a-f-]{32}$/),
      user: 'max',
      display_name: null,
      time_zone: 'local',
      orgs: [
        { name: 'acme', role: 'member', needs_sso: false },
        { name: 'max', role: 'admin', needs_sso: false },
      ],
      may_create_orgs: true,
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: app.clock.now().getTime() / 1000 + 12 * 3600,
    })
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(403)
  })

  it('is not used up by looking at it', async () => {
    const browser = await requestLink()
    const token = await readMailedToken(app)
    const scanner = makeBrowser(app.server)
    for (let i = 0; i < 20; i++) expect((await scanner.get(`/auth/link?token=${token}`)).status).toBe(200)
    expect((await scanner.send('HEAD', `/auth/link?token=${token}`)).status).toBe(200)
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(303)
  })

  it('gives exactly one of fifty concurrent requests a session', async () => {
    const browser = await requestLink()
    const token = await readMailedToken(app)
    const before = await countSessions(app)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.submit('/auth/link/redeem', { token })),
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
    expect((await countSessions(app)) - before).toBe(1)
  })

  it('is rejected in another browser, and still works in the right one', async () => {
    const browser = await requestLink()
    const token = await readMailedToken(app)
    const others = [makeBrowser(app.server), makeBrowser(app.server), makeBrowser(app.server)]
    await others[1]?.get('/sign-in')
    others[2]?.cookies.set(BROWSER_COOKIE, 'x'.repeat(43))
    for (const other of others) {
      const { status } = await other.submit('/auth/link/redeem', { token })
      expect([status, other.session()]).toEqual([403, undefined])
    }
    const { text } = await makeBrowser(app.server).submit('/auth/link/redeem', { token })
    expect(text).toContain('<ul><li>It was requested in another browser')
    expect(text).toContain('href="/sign-in">Request a new link</a>')
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(303)
  })

  it('expires after ten minutes', async () => {
    const browser = await requestLink()
    const token = await readMailedToken(app)
    app.clock.advance(10 * MINUTE_MS)
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(403)
  })

  it('works until then', async () => {
    const browser = await requestLink()
    const token = await readMailedToken(app)
    app.clock.advance(10 * MINUTE_MS - 1)
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(303)
  })

  it('does not sign in a user who was deactivated meanwhile', async () => {
    const browser = await requestLink()
    await app.sql("update users set deactivated_at = now() where name = 'max'")
    expect((await browser.submit('/auth/link/redeem', { token: await readMailedToken(app) })).status).toBe(
      403,
    )
    await app.sql("update users set deactivated_at = null where name = 'max'")
  })

  it.each(['', 'x', 'wb_link_000000000000_0000000000000000000000000000000000000000000000000'])(
    'of %j is rejected alike, as a page and as JSON',
    async token => {
      const browser = await requestLink()
      const used = await signInByMail(app, EMAIL, makeBrowser(app.server))
      const spent = await used.submit('/auth/link/redeem', { token: await readMailedToken(app) })
      const refused = await browser.submit('/auth/link/redeem', { token })
      expect([refused.status, refused.text]).toEqual([403, spent.text])
      expect((await browser.post('/auth/link/redeem', { token })).body.message).toMatch(/does not work/)
      expect((await browser.get(`/auth/link?token=${token}`)).status).toBe(403)
    },
  )

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/..//evil.example'])(
    'never leads to %s',
    async next => {
      const browser = await requestLink(EMAIL, makeBrowser(app.server), next)
      const { location } = await browser.submit('/auth/link/redeem', { token: await readMailedToken(app) })
      expect(location).toBe('/')
    },
  )

  it('ends the session the browser had, and gives another secret', async () => {
    const browser = await signInByMail(app, EMAIL)
    const first = browser.session()
    app.clock.advance(2 * MINUTE_MS)
    await signInByMail(app, EMAIL, browser)
    expect(browser.session()).not.toBe(first)
    const old = makeBrowser(app.server)
    old.cookies.set(SESSION_COOKIE, first ?? '')
    expect((await old.get('/auth/session')).status).toBe(401)
    expect((await browser.get('/auth/session')).status).toBe(200)
  })

  it('ignores a session secret that was planted before', async () => {
    const browser = makeBrowser(app.server)
    const planted = systemSecrets.createToken('ses').key
    browser.cookies.set(SESSION_COOKIE, planted)
    await signInByMail(app, EMAIL, browser)
    expect(browser.session()).not.toBe(planted)
  })
})

it('a printed link signs in once, in any browser, within a day', async () => {
  const [max] = await app.sql("select user_id from users where name = 'max'")
  const input = { user_id: String(max?.user_id), now: app.clock.now() }
  const tokens = [
    await createHandedLink(makeOwnerDb(app.owner), systemSecrets, input),
    await createHandedLink(makeOwnerDb(app.owner), systemSecrets, input),
  ]
  app.clock.advance(24 * 60 * MINUTE_MS - 1)
  const browser = makeBrowser(app.server)
  expect((await browser.submit('/auth/link/redeem', { token: tokens[0] ?? '' })).status).toBe(303)
  expect((await browser.submit('/auth/link/redeem', { token: tokens[0] ?? '' })).status).toBe(403)
  app.clock.advance(1)
  expect((await browser.submit('/auth/link/redeem', { token: tokens[1] ?? '' })).status).toBe(403)
})

describe('an error without its own page', () => {
  it('is shown to people as a page with a next step, and to programs as JSON', async () => {
    const browser = makeBrowser(app.server)
    const answering = await browser.submit('/auth/sign-out', {})
    expect([answering.status, answering.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
    expect(answering.text).toContain('href="/sign-in"')
    expect((await browser.post('/auth/sign-out', {})).body.message).toBe('Authentication is required')
    const stale = await (await signInByMail(app, EMAIL)).submit('/auth/sign-out', { csrf_token: 'x' })
    expect(stale.status).toBe(403)
    expect(stale.text).toContain('The page belongs to an earlier session')
  })

  it('says how long to wait after too many requests', async () => {
    const other = await startTestApp({ settings: { WAYBILL_RATE_LIMIT: '1/m' } })
    const browser = makeBrowser(other.server)
    await browser.get('/sign-in')
    const { status, text, headers } = await browser.get('/sign-in', { accept: 'text/html' })
    await other.stop()
    expect(status).toBe(429)
    expect(text).toContain(`Wait ${headers['retry-after']} s, then try again.`)
    expect(text).toContain('href="/sign-in"')
  })
})

describe('in the database', () => {
  it('no token and no secret can be read', async () => {
    const browser = await requestLink()
    const token = await readMailedToken(app)
    await browser.submit('/auth/link/redeem', { token })
    const { csrf_token } = (await browser.get('/auth/session')).body
    expect(csrf_token).toMatch(/^[\w-]{43}$/)
    const planted = [token, csrf_token, browser.session() ?? '', browser.cookies.get(BROWSER_COOKIE) ?? '']
    const tables = await app.sql(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    )
    for (const { relname } of tables) {
      const rows = JSON.stringify(await app.sql(`select t::text from ${relname} t`))
      for (const secret of planted) {
        expect(rows.includes(secret), String(relname)).toBe(false)
        expect(rows.includes(Buffer.from(secret).toString('hex')), String(relname)).toBe(false)
      }
    }
  })
})
