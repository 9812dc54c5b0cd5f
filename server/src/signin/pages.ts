// The few pages of signing in, made on the server, without scripts: they work before the web app does, and when it does
// not. Whatever comes from outside is escaped.
import { escapeHtml } from '../lib/html.ts'

export const STYLE = `:root { color-scheme: light dark; --ink: #1c2024; --paper: #fff; --edge: #8b8d98; --deed: #1d5fbf; --on-deed: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --paper: #16181b; --edge: #7c808a; --deed: #8fc1ff; --on-deed: #0b1a2e }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1.5rem }
form, p, ul { margin: 0 0 1.5rem }
ul { list-style: none; padding: 0; display: grid; gap: .75rem }
label { display: block; margin-bottom: .25rem; font-weight: 600 }
input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; margin-bottom: .75rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--edge); border-radius: .375rem }
button, a.deed { display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; color: var(--on-deed); background: var(--deed); border: 0;
  border-radius: .375rem; cursor: pointer; overflow-wrap: anywhere }
a { color: var(--deed) }
:focus-visible { outline: 3px solid var(--deed); outline-offset: 2px }
`

export interface Choice {
  id: string
  name: string
}

export function signInPage(choices: readonly Choice[], next_path: string): string {
  const query = next_path === '/' ? '' : `?next=${encodeURIComponent(next_path)}`
  const buttons = choices.map(
    ({ id, name }) =>
      `<li><a class="deed" href="/auth/sso/${encodeURIComponent(id)}${escapeHtml(query)}">Sign in with ${escapeHtml(name)}</a></li>`,
  )
  return page(
    'Sign in',
    `${buttons.length > 0 ? `<ul>${buttons.join('')}</ul>` : ''}
<form method="post" action="/auth/link">
  <input type="hidden" name="next" value="${escapeHtml(next_path)}">
  <label for="email">Mail address</label>
  <input id="email" name="email" type="email" autocomplete="email" required maxlength="254">
  <button>Send me a link</button>
</form>`,
  )
}

export function signedInPage(user: string, csrf_token: string): string {
  return page(
    'Signed in',
    `<p>You are signed in as <strong>${escapeHtml(user)}</strong>. <a href="/">Go on</a></p>
<form method="post" action="/auth/sign-out">
  <input type="hidden" name="csrf_token" value="${escapeHtml(csrf_token)}">
  <button>Sign out</button>
</form>`,
  )
}

/** The button is what signs in: programs that only look at links do not press it. */
export function invitationPage(token: string): string {
  return page(
    'Invitation',
    `<form method="post" action="/auth/invitation/redeem">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  <button>Accept and sign in</button>
</form>
<p>The invitation works once.</p>`,
  )
}

export function redeemPage(token: string): string {
  return page(
    'Sign in',
    `<form method="post" action="/auth/link/redeem">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  <button>Sign in to Waybill</button>
</form>
<p>The link works once.</p>`,
  )
}

export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escapeHtml(message)}</p><p><a href="/sign-in">Back to sign-in</a></p>`)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Waybill</title>
<link rel="stylesheet" href="/auth/style.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`
}
