// A service whose public URL has a path, from WAYBILL_BASE_URL: the API, the sign-in pages, and their links.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeBrowser, readQueuedMails, setEmail } from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type RealProvider, startRealProvider } from './identity-providers.ts'
import { makeProvider, proveDomains, USER_SCHEMA } from './scim.ts'

const PUBLIC = 'https://tools.example/waybill'

let app: TestApp
let company: RealProvider
beforeAll(async () => {
  company = await startRealProvider(`${PUBLIC}/auth/sso/company/callback`)
  const provider = { ...CLIENT, id: 'company', issuer: company.issuer, mail_domains: ['example.com'] }
  app = await startTestApp({
    settings: { WAYBILL_BASE_URL: PUBLIC, WAYBILL_OIDC_PROVIDERS: JSON.stringify([provider]) },
    web_app: {
      document:
        '<link href="./assets/x.js"><meta name="base" content="./"><script nonce="{{nonce}}"></script>',
      files: new Map(),
    },
  })
})
afterAll(async () => {
  await app.stop()
  await company.stop()
})

const get = (url: string) => app.server.inject({ url })

describe('below the path', () => {
  it.each(['/waybill/healthz', '/waybill/ready', '/healthz', '/ready'])('%s responds', async url => {
    expect((await get(url)).statusCode).toBe(200)
  })

  it('/metrics is not served to anyone: a proxy that forwards the path does not publish it', async () => {
    const { statusCode, body } = await get('/waybill/metrics')
    expect([statusCode, body.includes('waybill_ready')]).toEqual([200, false])
    expect((await get('/metrics')).body).toContain('waybill_ready')
  })

  it('the document of the web app names its files and the path', async () => {
    for (const url of ['/waybill', '/waybill/', '/waybill/acme/environments']) {
      const { body } = await get(url)
      expect(body).toContain('<link href="/waybill/assets/x.js"><meta name="base" content="/waybill/">')
    }
  })

  it('the API responds with addresses that work', async () => {
    await app.admin.put('/environments/acme', { name: 'prod', type: 'server', description: '' })
    const answer = await app.server.inject({
      url: '/waybill/api/v2/environments/acme/prod',
      headers: { authorization: `Bearer ${inject('seeded_keys').admin}` },
    })
    expect(answer.json()).toMatchObject({ name: 'prod' })
    expect(answer.body).not.toContain('tools.example/acme')
  })

  it('the API document and its page exist', async () => {
    const { servers } = (await get('/waybill/api/v2/openapi.json')).json()
    expect(servers.map(({ url }: { url: string }) => url)).toEqual(['/waybill/api/v2', `${PUBLIC}/api/v2`])
    expect((await get('/waybill/api/v2/doc')).headers.location).toBe('/waybill/api/v2/doc/')
  })

  it('people sign in by mail and out again', async () => {
    await setEmail(app, 'ada', 'ada@example.com')
    const browser = makeBrowser(app.server)
    const page = await browser.get('/waybill/sign-in?next=%2Facme%2Fflows')
    expect(
      [...page.text.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, url = '']) => url.split('?', 1)[0]),
    ).toEqual([
      '/waybill/favicon.svg',
      '/waybill/auth/style.css',
      '/waybill/auth/sso/company',
      '/waybill/auth/link',
    ])
    await browser.submit('/waybill/auth/link', { email: 'ada@example.com', next: '/acme/flows' })
    const [mail] = await readQueuedMails(app)
    const [, token = ''] =
      /https:\/\/tools\.example\/waybill\/auth\/link\?token=([\w-]+)/.exec(mail?.text ?? '') ?? []
    const entered = await browser.submit('/waybill/auth/link/redeem', { token })
    expect([entered.status, entered.location]).toEqual([303, '/waybill/acme/flows'])
    const session = await browser.get('/waybill/auth/session')
    const left = await browser.submit('/waybill/auth/sign-out', { csrf_token: session.body.csrf_token })
    expect([left.status, left.location]).toEqual([303, '/waybill/sign-in?signed_out=1'])
  })
  it('people sign in through an identity provider, which returns them below the path', async () => {
    const browser = makeBrowser(app.server)
    const { location = '' } = await browser.get('/waybill/auth/sso/company?next=%2Facme%2Fflows')
    const account = { sub: 'mara', email: 'mara@example.com', email_verified: true }
    const callback = await company.signIn(location, account)
    expect(callback).toContain(`${PUBLIC}/auth/sso/company/callback?`)
    const entered = await browser.get(callback.slice(new URL(PUBLIC).origin.length))
    expect([entered.status, entered.location]).toEqual([303, '/waybill/acme/flows'])
    expect((await browser.get('/waybill/auth/session')).body).toMatchObject({ user: 'mara' })
  })

  it('an identity provider creates users, and finds them at the returned addresses', async () => {
    await proveDomains(app, 'acme', 'example.com')
    const { token } = await makeProvider(app, app.admin, 'acme')
    const headers = { authorization: `Bearer ${token}` }
    const created = await app.server.inject({
      method: 'POST',
      url: '/waybill/scim/v2/acme/Users',
      headers: { ...headers, 'content-type': 'application/scim+json' },
      payload: JSON.stringify({ schemas: [USER_SCHEMA], userName: 'jane@example.com' }),
    })
    const location = String(created.headers.location)
    expect([created.statusCode, location]).toEqual([201, `${PUBLIC}/scim/v2/acme/Users/${created.json().id}`])
    const url = location.slice(new URL(PUBLIC).origin.length)
    expect((await app.server.inject({ url, headers })).json()).toEqual(created.json())
  })
})
