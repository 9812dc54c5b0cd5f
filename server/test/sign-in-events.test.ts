// Events of signing in and out: recorded in the person's personal organization, with the network address.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertSession, makeBrowser, readMailedToken, setEmail, signInByMail } from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'

const EMAIL = 'max@acme.example'
const ADDRESS = '203.0.113.7'

let app: TestApp
let provider: FaultyProvider
beforeAll(async () => {
  provider = await startFaultyProvider()
  const oidc = { ...CLIENT, id: 'acme', issuer: provider.issuer, mail_domains: ['acme.example'] }
  app = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify([oidc]) } })
  await setEmail(app, 'max', EMAIL)
})
afterAll(async () => {
  await app.stop()
  await provider.stop()
})
// Every test starts with unused limits and no sessions.
afterEach(async () => {
  app.clock.advance(8 * 24 * 60 * 60_000)
  await app.sql('update sessions set ended_at = $1 where ended_at is null', [app.clock.now()])
})

/** The events since the start of the test, oldest first. */
async function readEvents(kinds: string, since = app.clock.now()) {
  const rows = await app.sql(
    `select o.name as org, e.kind, e.actor, e.data from events e join orgs o on o.org_id = e.org_id
     where e.kind like $1 and e.happened_at >= $2 order by e.event_id`,
    [kinds, since],
  )
  return rows
}

async function signInBySso(email: string, browser = makeBrowser(app.server, ADDRESS)) {
  const { location } = await browser.get('/auth/sso/acme')
  const back = provider.signIn(location ?? '', { sub: `${email}-sub`, email, email_verified: true }, {})
  return browser.get(back.slice(BASE_URL.length))
}

describe('signing in', () => {
  it('is recorded with method and address', async () => {
    await signInByMail(app, EMAIL, makeBrowser(app.server, ADDRESS))
    expect((await signInBySso(EMAIL)).status).toBe(303)
    expect(await readEvents('signed_in')).toEqual([
      {
        org: 'max',
        kind: 'signed_in',
        actor: 'max',
        data: { user: 'max', method: 'link', address: ADDRESS },
      },
      { org: 'max', kind: 'signed_in', actor: 'max', data: { user: 'max', method: 'sso', address: ADDRESS } },
    ])
    expect(await readEvents('sign_in_failed')).toEqual([])
  })

  it('is listed with the session', async () => {
    const browser = await signInByMail(app, EMAIL, makeBrowser(app.server, ADDRESS))
    app.clock.advance(1000)
    await insertSession(app, 'max')
    const { body } = await browser.get('/api/v2/user/sessions')
    expect(body).toMatchObject([{ address: null }, { address: ADDRESS, method: 'link', is_current: true }])
  })
})

describe('signing out', () => {
  it('is recorded, however it is done', async () => {
    const browser = await signInByMail(app, EMAIL, makeBrowser(app.server, ADDRESS))
    await browser.post('/auth/sign-out', {}, browser.csrf())
    const secret = await insertSession(app, 'max')
    const [listed] = (await app.member.get('/user/sessions')).body
    await app.member.delete(`/user/sessions/${listed.session_id}`)
    await insertSession(app, 'max')
    await insertSession(app, 'max')
    await app.member.delete('/user/sessions')
    expect(secret).toBeDefined()
    const what = (sessions: number, credential: string, address: string) => ({
      org: 'max',
      kind: 'signed_out',
      actor: 'max',
      data: { user: 'max', sessions, credential, address },
    })
    expect(await readEvents('signed_out')).toEqual([
      what(1, 'session', ADDRESS),
      what(1, 'key', '127.0.0.1'),
      what(2, 'key', '127.0.0.1'),
    ])
  })

  it('without a session is not recorded', async () => {
    expect((await app.member.delete('/user/sessions')).body).toEqual({ ended: 0 })
    await makeBrowser(app.server).post('/auth/sign-out', {})
    expect(await readEvents('signed_out')).toEqual([])
  })
})

describe('a sign-in that failed', () => {
  const buildFailure = (reason: string, method = 'link') => ({
    org: 'max',
    kind: 'sign_in_failed',
    actor: 'max',
    data: { user: 'max', method, reason, address: ADDRESS },
  })

  it('is recorded for the person whose link it was, with the reason', async () => {
    const since = app.clock.now()
    const browser = makeBrowser(app.server, ADDRESS)
    await browser.post('/auth/link', { email: EMAIL })
    const token = await readMailedToken(app)
    const redeem = (at = browser) => at.submit('/auth/link/redeem', { token })
    expect((await redeem(makeBrowser(app.server, ADDRESS))).status).toBe(403)
    expect((await redeem()).status).toBe(303)
    expect((await redeem()).status).toBe(403)
    await setEmail(app, 'max', EMAIL)
    await browser.post('/auth/link', { email: EMAIL })
    const later = await readMailedToken(app)
    await setEmail(app, 'max', 'new@acme.example')
    await browser.submit('/auth/link/redeem', { token: later })
    await setEmail(app, 'max', EMAIL)
    app.clock.advance(10 * 60_000)
    await browser.submit('/auth/link/redeem', { token: later })
    expect(await readEvents('sign_in_failed', since)).toEqual([
      buildFailure('the link is for another browser'),
      buildFailure('the link was used before'),
      buildFailure('the link was mailed to another address'),
      buildFailure('the link is too old'),
    ])
  })

  it('is recorded for a deactivated person confirmed by the provider', async () => {
    expect((await signInBySso(EMAIL)).status).toBe(303)
    await app.sql("update users set deactivated_at = now() where name = 'max'")
    expect((await signInBySso(EMAIL)).status).toBe(403)
    const browser = makeBrowser(app.server, ADDRESS)
    await app.sql("update users set deactivated_at = null where name = 'max'")
    await browser.post('/auth/link', { email: EMAIL })
    await app.sql("update users set deactivated_at = now() where name = 'max'")
    await browser.submit('/auth/link/redeem', { token: await readMailedToken(app) })
    await app.sql("update users set deactivated_at = null where name = 'max'")
    expect(await readEvents('sign_in_failed')).toEqual([
      buildFailure('the person is deactivated', 'sso'),
      buildFailure('the person is deactivated'),
    ])
  })

  it('is not recorded for an unknown token or an unknown person', async () => {
    const token = 'wb_link_000000000000_0000000000000000000000000000000000000000000000000'
    await makeBrowser(app.server).submit('/auth/link/redeem', { token })
    await signInBySso('stranger@elsewhere.example')
    expect(await readEvents('sign_in_failed')).toEqual([])
  })

  it('is recorded at most a hundred times an hour', async () => {
    const browser = makeBrowser(app.server, ADDRESS)
    await browser.post('/auth/link', { email: EMAIL })
    const token = await readMailedToken(app)
    await browser.submit('/auth/link/redeem', { token })
    await Promise.all(Array.from({ length: 110 }, () => browser.submit('/auth/link/redeem', { token })))
    expect(await readEvents('sign_in_failed')).toHaveLength(100)
    const since = app.clock.now()
    app.clock.advance(60 * 60_000)
    await browser.submit('/auth/link/redeem', { token })
    expect(await readEvents('sign_in_failed', since)).toHaveLength(101)
  })
})
