// The pages of a link that proves a mail address, in the frame of the sign-in pages.
import { escapeHtml } from '../lib/html.ts'
import { renderPage, type Site } from './pages.ts'

const CONTINUE = '<a class="action" href="/">Continue</a>'

/** Only the button changes the address: mail scanners that open links do not press it. */
export function renderAddressPage(
  site: Site,
  { token, user, csrf_token }: { token: string; user: string; csrf_token: string },
): string {
  return renderPage(
    site,
    'Confirm your mail address',
    `<p>You are signed in as <strong>${escapeHtml(user)}</strong>. Confirm that the address to which this link was mailed is yours.</p>
<form method="post" action="/auth/address/prove">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  <input type="hidden" name="csrf_token" value="${escapeHtml(csrf_token)}">
  <button class="action big" autofocus>Use this address</button>
</form>
<p class="hint">If you did not ask for this, close this page and nothing will happen.</p>
<p class="hint">Not your account? <a href="/sign-in">Sign out</a>, sign in as the person who asked for the new address, and open the link again.</p>`,
  )
}

/** The link needs a signed-in person. It is not stored for later: the mail still has it. */
export function renderAddressSignInPage(site: Site): string {
  return renderPage(
    site,
    'Sign in first',
    `<p>Sign in as the person who asked for the new address, with the address you had before. Then open the link in the mail again.</p>
<a class="action" href="/sign-in">Sign in</a>`,
  )
}

export function renderAddressChangedPage(site: Site): string {
  return renderPage(
    site,
    'Your mail address has changed',
    `<p>From now on, mail goes to the new address. Use it to sign in by mail. The previous address gets a notice.</p>\n${CONTINUE}`,
  )
}

export function renderNoAddressPage(site: Site, message: string): string {
  return renderPage(site, 'The address was not changed', `<p>${escapeHtml(message)}</p>\n${CONTINUE}`)
}
