// Mail addresses from identity providers: people change theirs, and addresses pass to other people.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acceptInvitation, makeBrowser, setEmail } from './browser.ts'
import { BASE_URL, ORG, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'
import { tokenFor } from './people.ts'

let app: TestApp
/** Responsible for acme.example. */
let company: FaultyProvider
/** Responsible for no domain. */
let open: FaultyProvider
/** Responsible for every domain that no other provider has. */
let wide: FaultyProvider
beforeAll(async () => {
  company = await startFaultyProvider()
  open = await startFaultyProvider()
  wide = await startFaultyProvider()
  const providers = [
    { ...CLIENT, id: 'company', issuer: company.issuer, mail_domains: ['acme.example'] },
    { ...CLIENT, id: 'open', issuer: open.issuer },
    { ...CLIENT, id: 'wide', issuer: wide.issuer, mail_domains: ['*'] },
  ]
  app = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify(providers) } })
})
afterAll(async () => {
  await app.stop()
  await company.stop()
  await open.stop()
  await wide.stop()
})

/** Signs in, and returns the account. */
async function signIn(provider: 'company' | 'open' | 'wide', sub: string, email: string) {
  const browser = makeBrowser(app.server)
  const { location } = await browser.get(`/auth/sso/${provider}`)
  const { signIn: answerOf } = { company, open, wide }[provider]
  const callback = answerOf(location ?? '', { sub, email, email_verified: true })
  await browser.get(callback.slice(BASE_URL.length))
  const [account] = await app.sql(
    'select u.name, u.email from identities i join users u on u.user_id = i.user_id where i.subject = $1',
    [sub],
  )
  return account
}

it('follows the provider of its domain', async () => {
  await signIn('company', 'renamed', 'maiden@acme.example')
  const after = await signIn('company', 'renamed', 'married@acme.example')
  expect(after).toEqual({ name: 'maiden', email: 'married@acme.example' })
})

it('stays with an account that never signed in with this provider', async () => {
  await setEmail(app, 'max', 'max@acme.example')
  await signIn('company', 'other', 'other@acme.example')
  expect(await signIn('company', 'other', 'max@acme.example')).toMatchObject({ email: 'other@acme.example' })
  expect(await app.sql("select email from users where name = 'max'")).toEqual([{ email: 'max@acme.example' }])
})

it('is not given away by a provider of other domains', async () => {
  await signIn('company', 'owner', 'owner@acme.example')
  await signIn('open', 'thief', 'thief@elsewhere.example')
  const thief = await signIn('open', 'thief', 'owner@acme.example')
  expect(thief).toEqual({ name: 'thief', email: null })
  expect(await signIn('company', 'owner', 'owner@acme.example')).toMatchObject({
    email: 'owner@acme.example',
  })
})

it('is not given to a new person by a provider of other domains, and neither is an invitation to it', async () => {
  const first = await signIn('open', 'first', 'boss@elsewhere.example')
  expect(first).toEqual({ name: 'boss', email: null })
  await app.admin.post(`/invitations/${ORG}`, { email: 'boss@elsewhere.example', role: 'admin' })
  const invited = makeBrowser(app.server)
  await acceptInvitation(invited, await tokenFor(app, 'boss@elsewhere.example'))
  const { body } = await invited.get('/auth/session')
  expect(body).toMatchObject({ user: 'boss-2', orgs: [{ name: ORG, role: 'admin' }, { name: 'boss-2' }] })
})

it('follows the provider of all other domains', async () => {
  expect(await signIn('wide', 'w1', 'wide@elsewhere.example')).toEqual({
    name: 'wide',
    email: 'wide@elsewhere.example',
  })
  expect(await signIn('wide', 'w2', 'new@acme.example')).toBeUndefined()
})
