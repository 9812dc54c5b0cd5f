// Whatever comes from outside is text on the pages of sign-in, in every place where it is shown.
import { expect, it } from 'vitest'
import { invitationPage, messagePage, redeemPage, signedInPage, signInPage } from './pages.ts'

const HOSTILE = `"'><script>x</script>&`

it.each([
  ['the name of a provider', signInPage([{ id: 'sso', name: HOSTILE }], '/')],
  ['where to go next', signInPage([], HOSTILE)],
  ['a token', redeemPage(HOSTILE)],
  ['the token of an invitation', invitationPage(HOSTILE)],
  ['a user', signedInPage(HOSTILE, 'token')],
  ['a message', messagePage('Sign in', HOSTILE)],
])('shows %s as text', (_what, page) => {
  expect(page).not.toContain('<script>')
  expect(page).toContain('&quot;&#39;&gt;&lt;script&gt;x&lt;/script&gt;&amp;')
})
