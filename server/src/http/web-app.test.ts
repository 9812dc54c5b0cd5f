// Serving the web app: one document for every page, with a fresh nonce each time, and files that are never looked up
// anywhere but in the build output.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { SECTIONS } from './page-path.ts'
import { readWebApp } from './web-app.ts'

const DOCUMENT =
  '<!doctype html><meta property="csp-nonce" nonce="{{nonce}}"><script nonce="{{nonce}}"></script>'
const SCRIPT = 'export const answer = 42\n'

const folder = mkdtempSync(join(tmpdir(), 'waybill-web-'))
let app: TestApp
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), DOCUMENT)
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets', 'index-abc.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'packed-abc.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'packed-abc.js.br'), brotliCompressSync(SCRIPT))
  app = await startTestApp({ web_app: readWebApp(folder) })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const get = (url: string, headers: Record<string, string> = {}) =>
  app.server.inject({ method: 'GET', url, headers })

describe('a page', () => {
  it.each([
    ...['/', '/acme', '/acme/environments/prod/snapshots/12', '/acme/flows/a%2Fb?x=1', '/acme/nothing'],
    ...['/acme.io', '/acme.io/flows', '/acme/flows/my.flow', '/acme/flows/my.flow/trails/v1.2.js'],
    ...[
      '/acme/repos/acme/site.js',
      '/acme/policies/prod.yaml',
      '/acme/environments/a.b/snapshots/.1',
      '/next.js/flows',
    ],
  ])('%s is the document, with a policy that allows nothing else', async url => {
    const { statusCode, headers, body } = await get(url)
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    const [, nonce = ''] = /<script nonce="([^"]+)">/.exec(body) ?? []
    expect(nonce.length).toBeGreaterThan(20)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain(`script-src 'self' 'nonce-${nonce}'`)
    expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(body).not.toContain('{{nonce}}')
  })

  it('has another nonce each time', async () => {
    const bodies = [(await get('/acme')).body, (await get('/acme')).body]
    expect(bodies[0]).not.toBe(bodies[1])
  })

  it.each([
    '/api/v2/nothing',
    '/api',
    '/api/flows',
    '/auth/settings',
    '/auth/nothing',
    '/assets/none.js',
    '/scim/x',
    '/assets/%2e%2e%2fpackage.json',
    ...[
      '/.env',
      '/.git/config',
      '/.git/HEAD',
      '/.well-known/nothing',
      '/.aws/credentials',
      '/%2eenv',
      '/..%2fx',
    ],
    ...[
      '/wp-login.php',
      '/foo.js',
      '/robots.txt',
      '/backup.sql',
      '/config.json',
      '/index.html',
      '/INDEX.PHP',
    ],
    ...['/acme/.env', '/acme/.git/config', '/wp-admin/setup.php', '/cgi-bin/x.cgi', '/acme/backup/db.sql.gz'],
    ...['/~root', '/-x', '/a b', '/%00', '/a%2fb'],
  ])('%s is not a page', async url => {
    const { statusCode, headers } = await get(url)
    expect(statusCode).toBe(404)
    expect(headers['content-type']).toMatch(/^application\/(scim\+)?json/)
  })

  it('is every address that the app has a route for', () => {
    const pages = fileURLToPath(new URL('../../../web/src', import.meta.url))
    const files = readdirSync(pages, { recursive: true }).map(String)
    const routes = files.filter(file => /routes\.ts$|router\.tsx$/.test(file))
    const sections = routes.flatMap(file =>
      [...readFileSync(join(pages, file), 'utf8').matchAll(/'\/\$org\/([^/']+)/g)].map(
        ([, section]) => section,
      ),
    )
    expect([...new Set(sections)].sort()).toEqual([...SECTIONS].sort())
  })

  it('does not replace responses of the API', async () => {
    const nothing = await get('/api/v2/nothing')
    expect(nothing.json()).toEqual({ message: 'There is nothing at this address' })
    const other = await get('/api/v2/artifacts/acme/ci')
    expect([other.statusCode, other.headers.allow]).toEqual([405, 'POST'])
  })

  it('accepts no other method', async () => {
    const { statusCode } = await app.server.inject({ method: 'POST', url: '/acme' })
    expect(statusCode).toBe(404)
  })
})

describe('a file', () => {
  it('named by its content is cached for a year, and compressed for clients that accept it', async () => {
    const plain = await get('/assets/index-abc.js')
    expect(plain.body).toBe(SCRIPT)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const zipped = await get('/assets/index-abc.js', { 'accept-encoding': 'br, gzip' })
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(SCRIPT)
  })

  it.each([
    { accepted: 'gzip, br', coding: 'br' },
    { accepted: 'br;q=0, gzip', coding: 'gzip' },
    { accepted: 'identity', coding: undefined },
  ])('with a compressed copy is sent as $coding to who accepts $accepted', async ({ accepted, coding }) => {
    const { headers, rawPayload } = await get('/assets/packed-abc.js', { 'accept-encoding': accepted })
    expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'accept-encoding'])
    const unpack = coding === 'br' ? brotliDecompressSync : coding === 'gzip' ? gunzipSync : String
    expect(String(unpack(rawPayload))).toBe(SCRIPT)
    expect((await get('/assets/packed-abc.js.br')).statusCode).toBe(404)
  })

  it('next to the document is revalidated', async () => {
    const { headers } = await get('/favicon.svg')
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=3600',
    })
  })
})

it('leads to the documentation if it was not built', async () => {
  expect(readWebApp(join(folder, 'nothing'))).toBeUndefined()
  const other = await startTestApp()
  const { statusCode, headers } = await other.server.inject({ method: 'GET', url: '/' })
  expect([statusCode, headers.location]).toEqual([302, '/api/v2/doc/'])
  await other.stop()
})
