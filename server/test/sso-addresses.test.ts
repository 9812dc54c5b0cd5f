// Mail addresses at identity providers: people change theirs, and addresses change hands.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { giveAddress, newBrowser } from './browser.ts'
import { BASE_URL, type TestApp, testApp } from './harness.ts'
import { CLIENT, type SpoiledProvider, startSpoiledProvider } from './identity-providers.ts'

let app: TestApp
/** Speaks for acme.example. */
let company: SpoiledProvider
/** Speaks for no domain of its own. */
let open: SpoiledProvider
beforeAll(async () => {
  company = await startSpoiledProvider()
  open = await startSpoiledProvider()
  const providers = [
    { ...CLIENT, id: 'company', issuer: company.issuer, mail_domains: ['acme.example'] },
    { ...CLIENT, id: 'open', issuer: open.issuer },
  ]
  app = await testApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify(providers) } })
})
afterAll(async () => {
  await app.stop()
  await company.stop()
  await open.stop()
})

/** Signs in, and answers the account it led to. */
async function signIn(provider: 'company' | 'open', sub: string, email: string) {
  const browser = newBrowser(app.server)
  const { location } = await browser.get(`/auth/sso/${provider}`)
  const { signIn: answerOf } = provider === 'company' ? company : open
  const callback = answerOf(location ?? '', { sub, email, email_verified: true })
  await browser.get(callback.slice(BASE_URL.length))
  const [account] = await app.sql(
    'select u.name, u.email from identities i join users u on u.user_id = i.user_id where i.subject = $1',
    [sub],
  )
  return account
}

it('follows what the provider of the domain says', async () => {
  await signIn('company', 'renamed', 'maiden@acme.example')
  const after = await signIn('company', 'renamed', 'married@acme.example')
  expect(after).toEqual({ name: 'maiden', email: 'married@acme.example' })
})

it('stays with an account that never came by this provider', async () => {
  await giveAddress(app, 'max', 'max@acme.example')
  await signIn('company', 'other', 'other@acme.example')
  expect(await signIn('company', 'other', 'max@acme.example')).toMatchObject({ email: 'other@acme.example' })
  expect(await app.sql("select email from users where name = 'max'")).toEqual([{ email: 'max@acme.example' }])
})

it('is not given away by a provider of other domains', async () => {
  await signIn('company', 'owner', 'owner@acme.example')
  await signIn('open', 'thief', 'thief@elsewhere.example')
  const thief = await signIn('open', 'thief', 'owner@acme.example')
  expect(thief).toEqual({ name: 'thief', email: 'thief@elsewhere.example' })
  expect(await signIn('company', 'owner', 'owner@acme.example')).toMatchObject({
    email: 'owner@acme.example',
  })
})
