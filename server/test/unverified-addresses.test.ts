// Providers that do not report whether an address is verified, such as Microsoft Entra ID: trusted for the configured
// domains.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBrowser, setEmail } from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import { type Account, CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'

describe('a provider that does not report whether an address is verified', () => {
  let entra: TestApp
  let open: FaultyProvider
  beforeAll(async () => {
    open = await startFaultyProvider()
    const oidc = { ...CLIENT, id: 'open', issuer: open.issuer, trusted_mail_domains: ['Corp.example'] }
    entra = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify([oidc]) } })
    await setEmail(entra, 'rita', 'rita@corp.example')
  })
  afterAll(async () => {
    await entra.stop()
    await open.stop()
  })

  async function signInAs(
    account: Record<string, unknown>,
  ): Promise<{ status: number; user: string | undefined }> {
    const browser = makeBrowser(entra.server)
    const { location } = await browser.get('/auth/sso/open')
    const callback = open.signIn(location ?? '', account as unknown as Account, {})
    const { status } = await browser.get(callback.slice(BASE_URL.length))
    return { status, user: (await browser.get('/auth/session')).body?.user }
  }

  it('is trusted for the configured domains', async () => {
    expect(await signInAs({ sub: 'e1', email: 'rita@CORP.example' })).toEqual({ status: 303, user: 'rita' })
    expect(await signInAs({ sub: 'e2', email: 'new@corp.example' })).toEqual({ status: 303, user: 'new' })
  })

  it.each([
    ['says that it is not verified', { sub: 'e3', email: 'e3@corp.example', email_verified: false }],
    ['says so in text', { sub: 'e4', email: 'e4@corp.example', email_verified: 'false' }],
    ['says null', { sub: 'e5', email: 'e5@corp.example', email_verified: null }],
    ['names another domain', { sub: 'e6', email: 'e6@elsewhere.example' }],
    ['names a longer domain', { sub: 'e7', email: 'e7@evil-corp.example' }],
    ['names a subdomain', { sub: 'e8', email: 'e8@sub.corp.example' }],
    ['names no address', { sub: 'e9' }],
  ])('is not trusted when it %s', async (_what, account) => {
    expect(await signInAs(account)).toEqual({ status: 403, user: undefined })
  })
})
