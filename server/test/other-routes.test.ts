// Every route outside the list of operations, against the table of who can use it (other-routes.ts).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemSecrets } from '../src/lib/secrets.ts'
import { type Headers, makeBasicHeader, makeBearerHeader, makeSessionHeaders } from './credentials.ts'
import { ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { OTHER_ROUTES, type Who } from './other-routes.ts'
import { makeProvider } from './scim.ts'

const HERE = '127.0.0.1'
const ELSEWHERE = '203.0.113.9'

let app: TestApp
let scim: { own: string; foreign: string }
beforeAll(async () => {
  // Nothing listens there: admitted callers learn that the provider is unavailable.
  const settings = { WAYBILL_OIDC_ISSUER: 'http://127.0.0.1:9', WAYBILL_OIDC_CLIENT_ID: 'waybill' }
  app = await startTestApp({ settings })
  scim = {
    own: (await makeProvider(app, app.admin, ORG)).token,
    foreign: (await makeProvider(app, app.outsider, OTHER_ORG)).token,
  }
})
afterAll(() => app.stop())

interface Caller {
  headers: () => Headers | Promise<Headers>
  from?: string
}

const CALLERS: Record<string, Caller> = {
  nobody: { headers: () => ({}) },
  'nobody from elsewhere': { headers: () => ({}), from: ELSEWHERE },
  'an unknown key': { headers: () => makeBearerHeader('a-secret-that-nobody-imported') },
  'the key of an admin': { headers: () => makeBearerHeader(app.admin.key) },
  'the key of an admin from elsewhere': { headers: () => makeBearerHeader(app.admin.key), from: ELSEWHERE },
  'the key of an admin by Basic': { headers: () => makeBasicHeader(app.admin.key) },
  'a session without its CSRF token': {
    headers: async () => ({ cookie: (await makeSessionHeaders(app, 'ada')).cookie ?? '' }),
  },
  'a session with its CSRF token': { headers: () => makeSessionHeaders(app, 'ada') },
  'a SCIM token of the org': { headers: () => makeBearerHeader(scim.own) },
  'a SCIM token of another org': { headers: () => makeBearerHeader(scim.foreign) },
}

/** The allowed statuses for a route and a caller. */
function listExpected(who: Who, caller: string): readonly number[] {
  const hasSession = caller.startsWith('a session')
  if (who === 'this machine') return CALLERS[caller]?.from === undefined ? [200] : [404]
  if (who === 'a session') return hasSession ? [200] : [401]
  if (who === 'a session with its CSRF token') {
    if (caller === who) return [200]
    return hasSession ? [403] : [401]
  }
  // None of the callers has one.
  if (who === 'a mailed token' || who === 'an answer of the provider') return [403]
  if (who === 'a mailed token in a session with its CSRF token') return hasSession ? [403] : [401]
  if (who === 'a SCIM token of the org') return caller === who ? [200, 400, 404] : [401]
  return [200, 202, 302, 502]
}

/** A well-formed token that was never sent to anyone. */
function createUnsentToken(route: string): string {
  const kind = route.includes('invitation') ? 'inv' : route.includes('address') ? 'addr' : 'link'
  return systemSecrets.createToken(kind).key
}

function buildRequest(route: string): { method: string; url: string; payload?: object } {
  const [method = '', path = ''] = route.split(' ')
  const values: Record<string, string> = { org: ORG, file: 'start.js', provider: 'sso', id: randomUUID() }
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  if (/\/(redeem|prove)$/.test(path)) return { method, url, payload: { token: createUnsentToken(route) } }
  if (route === 'POST /auth/link') return { method, url, payload: { email: 'nobody@example.com' } }
  if (/^GET \/auth\/(link|invitation|address)$/.test(route))
    return { method, url: `${url}?token=${createUnsentToken(route)}` }
  return { method, url }
}

describe.each(Object.entries(OTHER_ROUTES))('%s is for %s', (route, who) => {
  it.each(Object.keys(CALLERS))('called by %s', async caller => {
    const { headers, from = HERE } = CALLERS[caller] as Caller
    const sent = buildRequest(route)
    const answer = await app.server.inject({
      ...sent,
      method: sent.method as 'GET',
      headers: await headers(),
      remoteAddress: from,
    })
    expect(listExpected(who, caller)).toContain(answer.statusCode)
  })
})
