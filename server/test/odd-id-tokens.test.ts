// ID tokens with a valid signature and a header, or claims, that the standards forbid.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBrowser } from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type Faults, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'
import { ODD_HEADERS } from './raw-jwt.ts'

let app: TestApp
let provider: FaultyProvider
beforeAll(async () => {
  provider = await startFaultyProvider()
  const known = { ...CLIENT, id: 'odd', issuer: provider.issuer }
  app = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify([known]) } })
})
afterAll(async () => {
  await app.stop()
  await provider.stop()
})

async function signIn(faults: Faults) {
  const browser = makeBrowser(app.server)
  const { location } = await browser.get('/auth/sso/odd')
  const account = { sub: 'olga', email: 'olga@acme.example', email_verified: true }
  const back = provider.signIn(location ?? '', account, faults)
  const { status } = await browser.get(back.slice(BASE_URL.length))
  return { status, session: browser.session() }
}

describe('an ID token', () => {
  it.each(['"typ":"JWT"', '"typ":"application/JWT"', '"cty":"json"'])(
    'may have the header %s',
    async header => {
      expect(await signIn({ header })).toEqual({ status: 303, session: expect.any(String) })
    },
  )

  it.each<[string, Faults]>([
    ...ODD_HEADERS.map(([what, header]): [string, Faults] => [what, { header }]),
    ['a claim twice', { payload: '"sub":"somebody-else"' }],
  ])('is refused for %s', async (_what, faults) => {
    expect(await signIn(faults)).toEqual({ status: 403, session: undefined })
  })
})
