// The headers that protect a browser, on every kind of response: API, pages, files, errors, redirects, and bytes that
// never became a request. Over a real connection, because Node adds its own headers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { readWebApp } from '../src/http/web-app.ts'
import { SESSION_COOKIE } from '../src/lib/session-token.ts'
import { insertSession } from './browser.ts'
import { makeFile, ORG, startTestApp, type TestApp } from './harness.ts'

const A_YEAR_S = 31_536_000
/** Files that any cache may keep: the same for everyone, without anyone's data. */
const PUBLIC_FILES = ['/assets/index-abc.js', '/favicon.svg', '/auth/style.css', '/api/v2/doc/swagger-ui.css']
const HOSTILE_ORIGINS = [
  'null',
  '*',
  'https://evil.example',
  'http://evil.example',
  'http://waybill.test',
  'https://waybill.test',
  'http://waybill.test.evil.example',
  'http://evil-waybill.test',
  'http://waybill.test@evil.example',
  'http://waybill.test:8443',
  'http://sub.waybill.test',
  'http://waybill.test.',
  'http://waybill_test',
  'http://127.0.0.1',
  'http://localhost:3000',
  'http://[::1]',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'data:text/html,x',
  'http://xn--wybill-5ya.test',
]

const folder = mkdtempSync(join(tmpdir(), 'waybill-web-'))
let app: TestApp
let address: string
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><script nonce="{{nonce}}"></script>')
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'export {}\n')
  app = await startTestApp({
    web_app: readWebApp(folder),
    settings: {
      WAYBILL_OIDC_PROVIDERS: JSON.stringify([
        { id: 'away', issuer: 'http://127.0.0.1:1', client_id: 'waybill' },
      ]),
    },
  })
  address = await app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

function request(
  path: string,
  { headers = {}, ...more }: RequestInit & { headers?: Record<string, string> } = {},
) {
  return fetch(address + path, { redirect: 'manual', headers, ...more })
}

const makeAdminHeaders = () => ({ authorization: `Bearer ${app.admin.key}` })

function findProblems(headers: Headers, isPublicFile = false): string[] {
  const value = (name: string) => headers.get(name) ?? ''
  const directives = value('content-security-policy')
    .split(';')
    .map(directive => directive.trim())
  const needed = ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "default-src 'none'"]
  const age = Number(/max-age=(\d+)/.exec(value('strict-transport-security'))?.[1] ?? 0)
  const added = ['server', 'x-powered-by', 'access-control-allow-origin', 'access-control-allow-credentials']
  return [
    ...(value('x-content-type-options') === 'nosniff' ? [] : ['may be taken for another type']),
    ...(value('referrer-policy') === 'no-referrer' ? [] : ['tells others the address']),
    ...(age >= A_YEAR_S ? [] : ['does not keep to HTTPS for a year']),
    ...needed.filter(directive => !directives.includes(directive)).map(directive => `lacks ${directive}`),
    ...(/unsafe|\*|https?:/.test(value('content-security-policy')) ? ['allows too much'] : []),
    ...(isPublicFile || value('cache-control') === 'no-store' ? [] : ['may be cached']),
    ...added.filter(name => headers.has(name)).map(name => `has ${name}`),
  ]
}

function buildPath({ path, example }: Contract): string {
  const params: Record<string, string> = { ...example?.params, org: ORG }
  return `/api/v2${path.replaceAll(/\{(\w+)\+?\}/g, (_all, name) => encodeURIComponent(params[name] ?? 'x'))}`
}

describe('the API', () => {
  it('protects the error of every operation', async () => {
    const problems: string[] = []
    for (const { contract } of operations) {
      const answer = await request(buildPath(contract), { method: contract.method })
      await answer.arrayBuffer()
      problems.push(...findProblems(answer.headers).map(problem => `${contract.id} ${problem}`))
    }
    expect(operations.length).toBeGreaterThan(50)
    expect(problems).toEqual([])
  })

  it('protects the response of every reading operation', async () => {
    const problems: string[] = []
    for (const { contract } of operations.filter(({ contract }) => contract.method === 'GET')) {
      // A stream would not end.
      const query = contract.streams ? '?follow=false' : ''
      const answer = await request(buildPath(contract) + query, { headers: makeAdminHeaders() })
      await answer.arrayBuffer()
      problems.push(...findProblems(answer.headers).map(problem => `${contract.id} ${problem}`))
    }
    expect(problems).toEqual([])
  })

  it('protects evidence, which is untrusted content, and sandboxes it', async () => {
    await app.member.put(`/flows/${ORG}`, { name: 'ci', description: '' })
    await app.member.put(`/trails/${ORG}/ci`, { name: 'one', description: '' })
    const data_json = JSON.stringify({ attestation_name: 'page', is_compliant: true })
    const parts = { data_json, attachment_file: makeFile('<script>alert(1)</script>') }
    await app.member.form('POST', `/attestations/${ORG}/ci/trail/one/generic`, parts)
    const { body } = await app.member.get(`/attestations/${ORG}/ci/trail/one/page`)
    const path = `/api/v2/attestations/${ORG}/ci/trail/one/attestation/${body[0].attestation_id}/evidence`
    const answer = await request(path, { headers: makeAdminHeaders() })
    expect(await answer.text()).toContain('alert(1)')
    expect(findProblems(answer.headers)).toEqual([])
    expect(answer.headers.get('content-security-policy')).toContain('; sandbox;')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment;/)
  })
})

describe('beside the API', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
  const LINK = 'token=wb_link_x'

  it.each<[string, string, number, RequestInit & { headers?: Record<string, string> }]>([
    ['the web app', '/acme/flows', 200, {}],
    ['a file of the web app', '/assets/index-abc.js', 200, {}],
    [
      'a file of the web app, packed',
      '/assets/index-abc.js',
      200,
      { headers: { 'accept-encoding': 'gzip' } },
    ],
    ['a file beside it', '/favicon.svg', 200, {}],
    ['the page to sign in', '/sign-in?next=/acme', 200, {}],
    ['its style', '/auth/style.css', 200, {}],
    ['what is possible there', '/auth/providers', 200, {}],
    [
      'a mail that was asked for',
      '/auth/link',
      202,
      { method: 'POST', headers: FORM, body: 'email=a@b.example' },
    ],
    ['a form that is wrong', '/auth/link', 400, { method: 'POST', headers: FORM, body: 'email=a' }],
    ['a link that is none', '/auth/link?token=x', 403, {}],
    ['a link that is refused', '/auth/link/redeem', 403, { method: 'POST', headers: FORM, body: LINK }],
    ['an invitation that is none', '/auth/invitation?token=x', 403, {}],
    ['a provider that is away', '/auth/sso/away', 502, {}],
    ['a provider that sends nobody', '/auth/sso/away/callback', 403, {}],
    ['a provider that is none', '/auth/sso/none', 404, { headers: { accept: 'text/html' } }],
    ['a session that is none', '/auth/session', 401, {}],
    ['a sign-out of nobody', '/auth/sign-out', 401, { method: 'POST', headers: FORM, body: '' }],
    ['the reader of the documentation', '/api/v2/doc/', 200, {}],
    ['a file of it', '/api/v2/doc/swagger-ui.css', 200, {}],
    ['the way to it', '/api/v2/doc', 302, {}],
    ['the document', '/api/v2/openapi.json', 200, {}],
    ['a sign of life', '/healthz', 200, {}],
    ['readiness', '/ready', 200, {}],
    ['numbers', '/metrics', 200, {}],
    ['SCIM without a token', '/scim/v2/acme/Users', 401, {}],
    ['nothing at all', '/api/v2/nothing', 404, {}],
    ['nothing where something is sent', '/nothing', 404, { method: 'POST' }],
    ['a file that is not there', '/assets/none.js', 404, {}],
    ['a method that is not taken', '/api/v2/flows/acme', 405, { method: 'PATCH' }],
    ['an address that cannot be read', '/api/v2/flows/%zz', 400, {}],
    [
      'a body that is too large',
      '/auth/link',
      413,
      { method: 'POST', headers: FORM, body: 'x'.repeat(20_000) },
    ],
    ['a type that is not taken', '/auth/link', 415, { method: 'POST', body: '<a/>' }],
  ])('protects %s', async (_what, path, status, init) => {
    const answer = await request(path, init)
    await answer.arrayBuffer()
    expect(answer.status).toBe(status)
    expect(findProblems(answer.headers, PUBLIC_FILES.includes(path))).toEqual([])
  })

  it('protects the redirect after signing out', async () => {
    const cookie = `${SESSION_COOKIE}=${await insertSession(app, 'max')}`
    const page = await request('/sign-in', { headers: { cookie } })
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec(await page.text()) ?? []
    expect(findProblems(page.headers)).toEqual([])
    const body = new URLSearchParams({ csrf_token }).toString()
    const out = await request('/auth/sign-out', { method: 'POST', headers: { ...FORM, cookie }, body })
    expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in?signed_out=1'])
    expect(findProblems(out.headers)).toEqual([])
  })

  it('protects the response to bytes that are not HTTP', async () => {
    const lines = (await sendBytes('GET / HTTP/1.1\r\nbroken header\r\n\r\n')).split('\r\n')
    expect(lines[0]).toMatch(/^HTTP\/1\.1 400 /)
    const pairs = lines.slice(1, lines.indexOf('')).map(line => line.split(/: (.*)/).slice(0, 2))
    expect(findProblems(new Headers(pairs as [string, string][]))).toEqual([])
  })
})

describe.each(HOSTILE_ORIGINS)('a page of %s', origin => {
  it('may read nothing, whatever it requests and whoever is signed in', async () => {
    const cookie = `${SESSION_COOKIE}=${await insertSession(app, 'max')}`
    const asking = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-y' }
    for (const path of [`/api/v2/flows/${ORG}`, '/auth/session', '/sign-in', '/acme']) {
      for (const method of ['GET', 'OPTIONS', 'HEAD'] as const) {
        const { headers } = await app.server.inject({ method, url: path, headers: { ...asking, cookie } })
        expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
      }
    }
  })
})

/** Everything that the server sends in response to these bytes until it closes the connection. */
function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}
