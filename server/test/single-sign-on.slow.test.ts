// Single sign-on with a real identity provider, and with one whose responses are all invalid.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BROWSER_COOKIE, SESSION_COOKIE } from '../src/lib/session-token.ts'
import { type Browser, countSessions, makeBrowser, setEmail } from './browser.ts'
import { BASE_URL, ORG, startTestApp, type TestApp } from './harness.ts'
import {
  type Account,
  CLIENT,
  type Faults,
  type FaultyProvider,
  type RealProvider,
  startFaultyProvider,
  startRealProvider,
} from './identity-providers.ts'

const MARA: Account = {
  sub: 'mara-sub',
  email: 'Mara@acme.example',
  email_verified: true,
  preferred_username: 'mara',
  name: 'Mara Example',
  groups: ['devs', 'leads', 'constructor'],
}
const OLGA: Account = { sub: 'olga-sub', email: 'olga@elsewhere.example', email_verified: true }

let app: TestApp
let acme: RealProvider
let open: FaultyProvider
beforeAll(async () => {
  acme = await startRealProvider(`${BASE_URL}/auth/sso/acme/callback`)
  open = await startFaultyProvider()
  app = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify(listProviders()) } })
  await setEmail(app, 'ada', 'ada@acme.example')
  await setEmail(app, 'rita', 'rita@elsewhere.example')
})
afterAll(async () => {
  await app.stop()
  await acme.stop()
  await open.stop()
})

function listProviders() {
  const role_map = { devs: 'snapshotter@acme', leads: 'member@acme', strangers: 'admin@no-such-org' }
  return [
    {
      ...CLIENT,
      id: 'acme',
      name: 'Acme <login>',
      issuer: acme.issuer,
      mail_domains: ['acme.example'],
      role_claim: 'groups',
      role_map,
    },
    { ...CLIENT, id: 'open', issuer: open.issuer },
    // Returns another issuer at discovery.
    { ...CLIENT, id: 'liar', issuer: `${open.issuer.replace('127.0.0.1', 'localhost')}` },
    { ...CLIENT, id: 'away', issuer: 'http://127.0.0.1:1' },
  ]
}

const getPath = (address: string) => address.slice(BASE_URL.length)

async function begin(browser: Browser, provider: string, next = '/'): Promise<string> {
  const { status, location } = await browser.get(`/auth/sso/${provider}?next=${encodeURIComponent(next)}`)
  expect(status).toBe(303)
  return location ?? ''
}

async function tryAcme(account: Account, browser = makeBrowser(app.server), next = '/') {
  const callback = await acme.signIn(await begin(browser, 'acme', next), account)
  return { browser, callback, answer: await browser.get(getPath(callback)) }
}

async function tryOpen(account: Account, spoiled: Faults = {}, browser = makeBrowser(app.server)) {
  const callback = open.signIn(await begin(browser, 'open'), account, spoiled)
  return { browser, callback, answer: await browser.get(getPath(callback)) }
}

async function readUser(browser: Browser) {
  return (await browser.get('/auth/session')).body
}

describe('the redirect to the provider', () => {
  it('is offered as buttons and as a list', async () => {
    const browser = makeBrowser(app.server)
    const { text } = await browser.get('/sign-in?next=/flows/acme')
    const button = text.indexOf(
      'href="/auth/sso/acme?next=%2Fflows%2Facme">Continue with Acme &lt;login&gt;</a>',
    )
    expect(button).toBeGreaterThan(0)
    expect(text.indexOf('name="email"')).toBeGreaterThan(button)
    const { body } = await browser.get('/auth/providers')
    expect(body.providers[0]).toEqual({ id: 'acme', name: 'Acme <login>' })
    expect(JSON.stringify(body)).not.toContain(CLIENT.client_secret)
  })

  it('has state, nonce and an S256 challenge, and never the client secret', async () => {
    const { searchParams, href } = new URL(await begin(makeBrowser(app.server), 'acme'))
    expect(searchParams.get('response_type')).toBe('code')
    expect(searchParams.get('redirect_uri')).toBe(`${BASE_URL}/auth/sso/acme/callback`)
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    }
    expect(href).not.toContain(encodeURIComponent(CLIENT.client_secret))
  })

  it('stores none of them in readable form', async () => {
    const { searchParams } = new URL(await begin(makeBrowser(app.server), 'acme'))
    const rows = JSON.stringify(await app.sql('select t::text from sign_in_attempts t'))
    for (const name of ['state', 'nonce']) expect(rows).not.toContain(searchParams.get(name))
  })

  it.each([
    ['nobody', 404],
    ['constructor', 404],
    ['away', 502],
    ['liar', 502],
  ])('to %s returns %i', async (provider, status) => {
    expect((await makeBrowser(app.server).get(`/auth/sso/${provider}`)).status).toBe(status)
  })

  it('that is unavailable offers a retry and another way to sign in, and keeps the next page', async () => {
    const { text } = await makeBrowser(app.server).get('/auth/sso/away?next=/flows/acme')
    expect(text).toContain('href="/auth/sso/away?next=%2Fflows%2Facme">Try again</a>')
    expect(text).toContain('href="/sign-in?next=%2Fflows%2Facme">Other ways to sign in</a>')
  })

  it('to an unknown provider shows a page with a link back', async () => {
    const { headers, text } = await makeBrowser(app.server).get('/auth/sso/nobody', { accept: 'text/html' })
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('href="/sign-in"')
  })

  it('back without a sign-in offers a retry and another way to sign in', async () => {
    const { status, text } = await makeBrowser(app.server).get('/auth/sso/acme/callback?error=access_denied')
    expect(status).toBe(403)
    expect(text).toContain('href="/auth/sso/acme">Try again</a>')
    expect(text).toContain('href="/sign-in">Other ways to sign in</a>')
  })
})

describe('a new person', () => {
  it('becomes a user with a personal organization and the highest mapped role, once', async () => {
    const { browser, answer } = await tryAcme(MARA, makeBrowser(app.server), '/flows/acme')
    expect([answer.status, answer.location]).toEqual([303, '/flows/acme'])
    expect(answer.set_cookies).toEqual([
      expect.stringMatching(
        /^__Host-waybill=wb_ses_\w+; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
    const orgs = [
      { name: ORG, role: 'member' },
      { name: 'mara', role: 'admin' },
    ]
    expect(await readUser(browser)).toMatchObject({ user: 'mara', display_name: 'Mara Example', orgs })
    const kinds = (await app.readEvents()).filter(({ actor }) => actor === 'mara').map(({ kind }) => kind)
    expect(kinds).toEqual(['org_created', 'member_added', 'user_created', 'member_added', 'signed_in'])

    // A removed member is not added again by the next sign-in.
    await app.sql(
      "delete from memberships m using orgs o where o.org_id = m.org_id and o.name = 'acme' and m.user_id = (select user_id from users where name = 'mara')",
    )
    const again = await tryAcme({ ...MARA, preferred_username: 'other', email: 'new@acme.example' })
    expect(await readUser(again.browser)).toMatchObject({
      user: 'mara',
      orgs: [{ name: 'mara', role: 'admin' }],
    })
  })

  it.each([
    ['rita', 'rita-2'],
    ['acme', 'acme-2'],
    ['Zoë Ünal', 'Zoe-Unal'],
    ['-_x', 'x'],
    ['名', 'first.last'],
    ['who@acme.example', 'who'],
  ])('named %s is %s here', async (preferred_username, name) => {
    const sub = `sub of ${preferred_username}`
    const email = preferred_username === '名' ? 'first.last@acme.example' : `${name}-of-test@acme.example`
    const { browser } = await tryAcme({ sub, email, email_verified: true, preferred_username })
    expect((await readUser(browser)).user).toBe(name)
  })

  it.each<[string, Account]>([
    ['an address that is not verified', { ...MARA, sub: 'x1', email_verified: false }],
    ['an address without a verified flag', { sub: 'x6', email: 'x6@acme.example' }],
    ['no address', { sub: 'x2' }],
    ['an address of another domain', { ...MARA, sub: 'x3', email: 'x3@elsewhere.example' }],
    ['an address of a longer domain', { ...MARA, sub: 'x4', email: 'x4@evil-acme.example' }],
    ['two addresses', { ...MARA, sub: 'x5', email: 'x@evil.example,x5@acme.example@acme.example' }],
  ])('with %s cannot sign in', async (_what, account) => {
    const before = await countSessions(app)
    const { answer } = await tryAcme(account)
    expect([answer.status, answer.set_cookies]).toEqual([403, []])
    expect(await countSessions(app)).toBe(before)
    expect(await app.sql('select 1 from identities where subject = $1', [account.sub])).toEqual([])
  })

  it('is one user when two tabs return at the same time', async () => {
    const account = { ...OLGA, sub: 'twin', email: 'twin@elsewhere.example' }
    const tabs = [makeBrowser(app.server), makeBrowser(app.server)]
    const answers = await Promise.all(tabs.map(tab => tryOpen(account, {}, tab)))
    // The fake provider keeps one nonce at a time: one sign-in may be rejected, but there are never two users.
    expect(answers.filter(({ answer }) => answer.status === 303).length).toBeGreaterThanOrEqual(1)
    expect(await app.sql("select 1 from users where name like 'twin%'")).toHaveLength(1)
  })
})

describe('an existing person', () => {
  it('is linked by the verified address if the provider is responsible for its domain', async () => {
    const { browser } = await tryAcme({
      sub: 'ada-sub',
      email: 'ADA@acme.example',
      email_verified: true,
      groups: ['devs'],
    })
    expect(await readUser(browser)).toMatchObject({ user: 'ada' })
    // The existing role is kept.
    expect((await readUser(browser)).orgs).toContainEqual({ name: ORG, role: 'admin', needs_sso: false })
  })

  it('is not linked to a second subject of the same provider: the address moves to the new owner', async () => {
    const { browser } = await tryAcme({ sub: 'ada-sub-2', email: 'ada@acme.example', email_verified: true })
    expect(await readUser(browser)).toMatchObject({ user: 'ada-2', orgs: [{ name: 'ada-2', role: 'admin' }] })
    expect(
      await app.sql("select name, email from users where name in ('ada', 'ada-2') order by name"),
    ).toEqual([
      { name: 'ada', email: null },
      { name: 'ada-2', email: 'ada@acme.example' },
    ])
  })

  it('is not linked by a provider that is not responsible for the domain', async () => {
    const { browser } = await tryOpen({ ...OLGA, sub: 'not-rita', email: 'rita@elsewhere.example' })
    const { user } = await readUser(browser)
    expect(user).not.toBe('rita')
    expect(await app.sql('select email from users where name = $1', [user])).toEqual([{ email: null }])
  })

  it('cannot be claimed by a provider while another one is responsible for the domain', async () => {
    const { answer } = await tryOpen({ ...OLGA, sub: 'not-ada', email: 'ada@acme.example' })
    expect(answer.status).toBe(403)
  })

  it('cannot sign in when deactivated, with a known or a new identity', async () => {
    await setEmail(app, 'sam', 'sam@acme.example')
    await app.sql("update users set deactivated_at = now() where name = 'sam'")
    const sam = { sub: 'sam-sub', email: 'sam@acme.example', email_verified: true }
    expect((await tryAcme(sam)).answer.status).toBe(403)
    await app.sql("update users set deactivated_at = null where name = 'sam'")
    expect((await tryAcme(sam)).answer.status).toBe(303)
    await app.sql("update users set deactivated_at = now() where name = 'sam'")
    expect((await tryAcme(sam)).answer.status).toBe(403)
  })
})

describe('a callback that does not match', () => {
  it('with a code that was used before creates no session', async () => {
    const { browser, callback } = await tryAcme(MARA)
    const before = await countSessions(app)
    expect((await browser.get(getPath(callback))).status).toBe(403)
    // Also with its own state.
    const fresh = new URL(await acme.signIn(await begin(browser, 'acme'), MARA))
    fresh.searchParams.set('code', new URL(callback).searchParams.get('code') ?? '')
    expect((await browser.get(getPath(fresh.href))).status).toBe(403)
    expect(await countSessions(app)).toBe(before)
  })

  it.each<[string, (callback: URL, browser: Browser) => void]>([
    ['no state', ({ searchParams }) => searchParams.delete('state')],
    ['an empty state', ({ searchParams }) => searchParams.set('state', '')],
    ['another state', ({ searchParams }) => searchParams.set('state', 'x'.repeat(43))],
    ['a state twice', ({ searchParams }) => searchParams.append('state', searchParams.get('state') ?? '')],
    ['no code', ({ searchParams }) => searchParams.delete('code')],
    ['another code', ({ searchParams }) => searchParams.set('code', 'x')],
    ['another issuer', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['no issuer', ({ searchParams }) => searchParams.delete('iss')],
    ['an error', ({ searchParams }) => searchParams.set('error', 'access_denied')],
    ['no browser cookie', (_callback, browser) => browser.cookies.delete(BROWSER_COOKIE)],
    ['another browser', (_callback, browser) => browser.cookies.set(BROWSER_COOKIE, 'x'.repeat(43))],
    ['11 minutes later', () => app.clock.advance(11 * 60_000)],
    [
      'the address of another provider',
      callback => {
        callback.pathname = '/auth/sso/open/callback'
      },
    ],
  ])('with %s creates no session', async (_what, change) => {
    const browser = makeBrowser(app.server)
    const before = await countSessions(app)
    const callback = new URL(await acme.signIn(await begin(browser, 'acme'), MARA))
    change(callback, browser)
    const answer = await browser.get(getPath(callback.href))
    expect(answer.status).toBe(403)
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false)
    expect(await countSessions(app)).toBe(before)
  })

  it('at another provider reveals nothing to it, and stays valid at its own', async () => {
    const browser = makeBrowser(app.server)
    const callback = new URL(await acme.signIn(await begin(browser, 'acme'), MARA))
    const elsewhere = new URL(callback)
    elsewhere.pathname = '/auth/sso/open/callback'
    const asked = open.requests.length
    expect((await browser.get(getPath(elsewhere.href))).status).toBe(403)
    expect(open.requests.slice(asked)).toEqual([])
    expect((await browser.get(getPath(callback.href))).status).toBe(303)
  })

  it.each(['//evil.example', 'https://evil.example', '/..//evil.example'])(
    'never continues to %s',
    async next => {
      expect((await tryAcme(MARA, makeBrowser(app.server), next)).answer.location).toBe('/')
    },
  )
})

describe('a response of the provider', () => {
  it('that is valid signs in', async () => {
    const { browser, answer } = await tryOpen(OLGA)
    expect(answer.status).toBe(303)
    expect((await readUser(browser)).user).toBe('olga')
  })

  it('can have the address at the userinfo endpoint', async () => {
    const userinfo = { email: 'uma@elsewhere.example', email_verified: true }
    expect((await tryOpen({ sub: 'uma' }, { userinfo })).answer.status).toBe(303)
  })

  const now_s = Math.floor(Date.now() / 1000)
  it.each<[string, Faults]>([
    ['another nonce', { claims: { nonce: 'x'.repeat(43) } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['the issuer with a slash', { claims: { iss: 'http://127.0.0.1/' } }],
    ['no issuer', { claims: { iss: undefined } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['two audiences and another party', { claims: { aud: [CLIENT.client_id, 'x'], azp: 'x' } }],
    ['the algorithm none', { alg: 'none' }],
    ['the client secret as key', { alg: 'HS256' }],
    ['another key', { alg: 'other key' }],
    ['an unknown key', { alg: 'unknown key' }],
    ['an expiry in the past', { claims: { exp: now_s - 60, iat: now_s - 360 } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['a start in the future', { claims: { nbf: now_s + 3600 } }],
    ['no subject', { claims: { sub: undefined } }],
    ['a subject that is a number', { claims: { sub: 7 } }],
    ['no ID token', { id_token: null }],
    ['an invalid ID token', { id_token: 'x.y.z' }],
    ['a userinfo of somebody else', { claims: { email: undefined }, userinfo: { ...OLGA, sub: 'eve' } }],
    ['another issuer in the address', { query: { iss: 'https://evil.example' } }],
    ['no issuer in the address', { query: { iss: undefined } }],
    ['another state in the address', { query: { state: 'x' } }],
  ])('with %s creates no session and no user', async (_what, spoiled) => {
    const counts =
      'select (select count(*) from users) as users, (select count(*) from identities) as identities'
    const before = [await countSessions(app), await app.sql(counts)]
    const { answer, browser } = await tryOpen(OLGA, spoiled)
    expect([answer.status, answer.set_cookies]).toEqual([403, []])
    expect(browser.session()).toBeUndefined()
    expect([await countSessions(app), await app.sql(counts)]).toEqual(before)
  })
})

describe('the only provider', () => {
  let alone: TestApp
  beforeAll(async () => {
    const { client_id, client_secret } = CLIENT
    alone = await startTestApp({
      settings: {
        WAYBILL_OIDC_ISSUER: open.issuer,
        WAYBILL_OIDC_CLIENT_ID: client_id,
        WAYBILL_OIDC_CLIENT_SECRET: client_secret,
      },
    })
    await setEmail(alone, 'rita', 'rita@elsewhere.example')
  })
  afterAll(() => alone.stop())

  it('is responsible for every domain, with the simple settings', async () => {
    const browser = makeBrowser(alone.server)
    const { body } = await browser.get('/auth/providers')
    expect(body.providers).toEqual([{ id: 'sso', name: 'single sign-on' }])
    const rita = { ...OLGA, sub: 'rita-sub', email: 'rita@elsewhere.example' }
    await browser.get(getPath(open.signIn(await begin(browser, 'sso'), rita)))
    expect((await readUser(browser)).user).toBe('rita')
  })

  it('links nobody by an address that it has not verified', async () => {
    const browser = makeBrowser(alone.server)
    const eve = { sub: 'eve', email: 'rita@elsewhere.example' }
    for (const claim of [{ email_verified: false }, {}]) {
      const callback = open.signIn(await begin(browser, 'sso'), { ...eve, ...claim })
      expect((await browser.get(getPath(callback))).status).toBe(403)
    }
  })
})
