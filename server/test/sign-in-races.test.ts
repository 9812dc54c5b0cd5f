// A person signs in while they are deactivated or their address changes: the change takes precedence.
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import {
  acceptInvitation,
  type BrowserResponse,
  countSessions,
  makeBrowser,
  readMailedToken,
  setEmail,
} from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'
import { until } from './patience.ts'
import { tokenFor } from './people.ts'

const EMAIL = 'max@acme.example'

let app: TestApp
let provider: FaultyProvider
let other: pg.Client
beforeAll(async () => {
  provider = await startFaultyProvider()
  app = await startTestApp({
    settings: {
      WAYBILL_OIDC_ISSUER: provider.issuer,
      WAYBILL_OIDC_CLIENT_ID: CLIENT.client_id,
      WAYBILL_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    },
  })
  const [row] = await app.sql('select current_database() as database')
  other = new pg.Client({ ...inject('cluster'), database: String(row?.database) })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await app.stop()
  await provider.stop()
})
afterEach(() => app.clock.advance(60 * 60_000))

/** Signs in while a change to the person is uncommitted, and returns the response. */
async function signInDuring(
  change: string,
  signIn: () => Promise<BrowserResponse>,
): Promise<BrowserResponse> {
  await other.query('begin')
  await other.query(change)
  let isAnswered = false
  const answer = signIn().finally(() => {
    isAnswered = true
  })
  const waiting =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await until(async () => isAnswered || (await app.sql(waiting)).length > 0)
  await other.query('commit')
  return answer
}

async function requestLink(): Promise<() => Promise<BrowserResponse>> {
  await setEmail(app, 'max', EMAIL)
  const browser = makeBrowser(app.server)
  await browser.post('/auth/link', { email: EMAIL })
  const token = await readMailedToken(app)
  return () => browser.submit('/auth/link/redeem', { token })
}

async function beginAtProvider(): Promise<() => Promise<BrowserResponse>> {
  await setEmail(app, 'max', EMAIL)
  const browser = makeBrowser(app.server)
  const { location } = await browser.get('/auth/sso/sso')
  const back = provider.signIn(location ?? '', { sub: 'max-sub', email: EMAIL, email_verified: true }, {})
  return () => browser.get(back.slice(BASE_URL.length))
}

async function prepareInvitation(): Promise<() => Promise<BrowserResponse>> {
  await setEmail(app, 'oscar', 'oscar@other.example')
  await app.admin.post('/invitations/acme', { email: 'oscar@other.example', role: 'reader' })
  const token = await tokenFor(app, 'oscar@other.example')
  return () => acceptInvitation(makeBrowser(app.server), token)
}

const buildDeactivation = (name: string) => `update users set deactivated_at = now() where name = '${name}'`

it.each([
  ['a link, by a person who is deactivated', requestLink, buildDeactivation('max')],
  [
    'a link, by a person whose address changes',
    requestLink,
    "update users set email = 'x@acme.example' where name = 'max'",
  ],
  ['a provider, by a person who is deactivated', beginAtProvider, buildDeactivation('max')],
  ['an invitation, by a person who is deactivated', prepareInvitation, buildDeactivation('oscar')],
])('%s at the same time, creates no session', async (_what, prepare, change) => {
  // The identity exists beforehand, so only the last step is left.
  expect((await (await beginAtProvider())()).status).toBe(303)
  const signIn = await prepare()
  const before = await countSessions(app)
  const { status, set_cookies } = await signInDuring(change, signIn)
  await app.sql('update users set deactivated_at = null')
  expect(status).toBe(403)
  expect(set_cookies.filter(cookie => cookie.startsWith('__Host-waybill=wb_'))).toEqual([])
  expect(await countSessions(app)).toBe(before)
})
