// The sign-in pages, rendered on the server without scripts: they work before the web app does, and when it does not.
// Untrusted text is escaped. Every page offers a next step.
import { createHash } from 'node:crypto'
import { addBasePathToLinks } from '../lib/base-path.ts'
import { escapeHtml } from '../lib/html.ts'
import { MAILED_LINK_MS } from './links.ts'
import { FRONT_PAGE } from './next-path.ts'
import { STYLE } from './style.ts'

const TAGLINE = 'See what is running where, how it was built, and whether it is allowed to run.'
const MINUTES = MAILED_LINK_MS / 60_000
/** A changed style gets a new URL, so that no browser shows new pages with an old style. */
const STYLE_ADDRESS = `/auth/style.css?v=${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}`
const LOGO = `<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M7 1h14l10 10v14a6 6 0 0 1-6 6H7a6 6 0 0 1-6-6V7a6 6 0 0 1 6-6z" fill="#3449b6"/><path d="M21 1l10 10h-7a3 3 0 0 1-3-3z" fill="#a9b8ff"/><path d="M6.5 13.5l4 11 4.5-9 4 9 6-11" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`
/** Names the folder, not its path: the location of the data directory is for the operator only. */
const MAIL_FILES_HINT =
  'Mail is not set up here: the operator can find the link in the folder <code>outbox-mail</code> of the data directory.'

const NOTICES = {
  ended: 'Your session has ended. Sign in again to continue where you left off.',
  'signed-out': 'You are signed out.',
  'sso-required': 'Single sign-on is required. Sign in through your identity provider.',
  'first-run':
    'Nobody has signed in here yet. The first start has printed a link, in the line that begins with “Sign in:”. Open it to sign in as the first administrator.',
} as const

export interface Choice {
  id: string
  name: string
}

/** The service's details that the pages show. */
export interface Site {
  region: string | undefined
  choices: readonly Choice[]
  mail_delivery: 'smtp' | 'file'
  base_path: string
}

export interface SignInOptions {
  next_path: string
  notice?: keyof typeof NOTICES | undefined
  /** Omitted if single sign-on is required; `on request` for people who may sign in without it. */
  mail?: 'none' | 'on request' | undefined
  /** The previous input, and the problem with it. */
  email?: string
  problem?: string
}

export function renderSignInPage(site: Site, options: SignInOptions): string {
  const { next_path, notice, mail } = options
  const buttons = site.choices.map(choice =>
    renderButton(`Continue with ${choice.name}`, buildSsoPath(choice, next_path)),
  )
  const hasButtons = buttons.length > 0
  const byMail = `${hasButtons ? '<p class="or">or</p>' : ''}\n${renderMailForm(site, options, hasButtons)}`
  const onRequest = renderQuietButton(
    'Sign in by mail (if allowed)',
    `/sign-in?mail=1&next=${encodeURIComponent(next_path)}`,
  )
  return renderPage(
    site,
    'Sign in',
    `${notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(NOTICES[notice])}</p>\n`}${buttons.join('\n')}
${mail === 'none' ? '' : mail === 'on request' ? onRequest : byMail}`,
  )
}

function renderMailForm(
  site: Site,
  { next_path, email = '', problem }: SignInOptions,
  hasButtons: boolean,
): string {
  // The field gets the focus unless a button comes first.
  const focus = problem !== undefined || !hasButtons ? ' autofocus' : ''
  const invalid = problem === undefined ? '' : ' aria-invalid="true"'
  const described = problem === undefined ? 'email-hint' : 'email-problem email-hint'
  return `<form method="post" action="/auth/link" novalidate>
  <input type="hidden" name="next" value="${escapeHtml(next_path)}">
  <label for="email">Mail address</label>
  <p class="hint" id="email-hint">We will send you a link that works once, for ${MINUTES} minutes.</p>
  <input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${escapeHtml(email)}" aria-describedby="${described}"${invalid}${focus}>
  ${problem === undefined ? '' : `<p class="problem" id="email-problem" role="alert">${escapeHtml(problem)}</p>`}
  <button class="action${hasButtons ? ' quiet' : ''}">Send me a link</button>
</form>
${site.mail_delivery === 'file' ? `<p class="hint">${MAIL_FILES_HINT}</p>` : ''}`
}

/** The same for every address, so that nobody learns which addresses are known. */
export function renderLinkSentPage(
  site: Site,
  { email, next_path }: { email: string; next_path: string },
): string {
  const arrives =
    site.mail_delivery === 'file'
      ? `<p class="notice">${MAIL_FILES_HINT}</p>`
      : '<p>Nothing there? Check your spam folder, and wait a minute before you try again.</p>'
  return renderPage(
    site,
    'Check your mail',
    `<p>If <strong>${escapeHtml(email)}</strong> may sign in, a mail with a link is on its way. Open it in this browser within ${MINUTES} minutes.</p>
${arrives}
<p>Still nothing? Your account may have another address: ask an administrator of your organization.</p>
${renderQuietButton('Try again', buildSignInPath(next_path))}`,
  )
}

/** Only the button signs in: mail scanners that open links do not press it. */
export function renderRedeemPage(site: Site, token: string): string {
  return renderPage(
    site,
    'Welcome',
    `<form method="post" action="/auth/link/redeem">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  <button class="action big" autofocus>Sign in to Waybill</button>
</form>
<p class="hint">The link works once. If you did not request it, close this page and nothing will happen.</p>`,
  )
}

/** What is known without looking up the link. */
interface RefusedLink {
  /** Has requested nothing, so the link is most likely for another one. */
  is_new_browser: boolean
  is_sso_required: boolean
}

export function renderLinkRefusedPage(site: Site, { is_new_browser, is_sso_required }: RefusedLink): string {
  const elsewhere = 'It was requested in another browser: open it there, where it still works.'
  const reasons = [
    'It was already used: a link works once.',
    `It has expired: a mailed link works for ${MINUTES} minutes.`,
  ]
  const ordered = [
    ...(is_new_browser ? [elsewhere, ...reasons] : [...reasons, elsewhere]),
    ...(is_new_browser
      ? ['You requested it in this browser, and it keeps no cookies: allow them for this site.']
      : []),
    ...(is_sso_required ? ['Single sign-on is required here: sign in through your identity provider.'] : []),
  ]
  return renderPage(
    site,
    'This link does not work',
    `<p>This can have one of these reasons:</p>
<ul>${ordered.map(reason => `<li>${reason}</li>`).join('')}</ul>
${renderButton(is_sso_required ? 'Sign in' : 'Request a new link', buildSignInPath(FRONT_PAGE))}`,
  )
}

/** As with links, only the button accepts. */
export function renderInvitationPage(
  site: Site,
  { token, csrf_token }: { token: string; csrf_token: string },
): string {
  return renderPage(
    site,
    'You are invited',
    `<p>You have been invited to an organization on Waybill. Accepting makes you a member and signs you in, in this browser.</p>
<form method="post" action="/auth/invitation/redeem">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  <input type="hidden" name="csrf_token" value="${escapeHtml(csrf_token)}">
  <button class="action big" autofocus>Accept and sign in</button>
</form>
<p class="hint">The invitation works once. If you did not expect it, close this page and nothing will happen.</p>`,
  )
}

/** For installations that require single sign-on: the person must be identified before they can accept. */
export function renderInvitationNeedsSsoPage(site: Site, user: string | undefined): string {
  const buttons = site.choices.map(choice =>
    renderButton(`Continue with ${choice.name}`, buildSsoPath(choice, FRONT_PAGE)),
  )
  const problem =
    user === undefined
      ? 'Single sign-on is required here.'
      : `You are signed in as <strong>${escapeHtml(user)}</strong>, and the invitation is for another address. Ask for one to your own address, or sign out, also at your identity provider.`
  return renderPage(
    site,
    'Sign in first',
    `<p>${problem} Sign in with the invited address, then open the link in the mail again. The invitation still works.</p>
${buttons.join('\n')}
${user === undefined ? '' : renderQuietButton('Sign out', buildSignInPath(FRONT_PAGE))}`,
  )
}

export function renderInvitationRefusedPage(site: Site): string {
  return renderPage(
    site,
    'This invitation does not work',
    `<p>An invitation works once, for seven days, unless it was withdrawn.</p>
<ul>
<li>Have you accepted it before? Then sign in with your mail address.</li>
<li>Otherwise ask the person who invited you for a new one.</li>
</ul>
${renderButton('Sign in', buildSignInPath(FRONT_PAGE))}`,
  )
}

/** The reason is in the log, for the operator. */
export function renderSsoRefusedPage(site: Site, choice: Choice): string {
  return renderPage(
    site,
    'Sign-in failed',
    `<p>The sign-in with ${escapeHtml(choice.name)} was not accepted here. Try again. If that does not help, ask your administrator: the reason is in the log of the service.</p>
${renderButton('Try again', buildSsoPath(choice, FRONT_PAGE))}
${renderQuietButton('Other ways to sign in', buildSignInPath(FRONT_PAGE))}`,
  )
}

export function renderSsoUnavailablePage(site: Site, choice: Choice, next_path: string): string {
  return renderPage(
    site,
    `${choice.name} is not responding`,
    `<p>The identity provider cannot be reached at the moment. Try again in a minute.</p>
${renderButton('Try again', buildSsoPath(choice, next_path))}
${renderQuietButton('Other ways to sign in', buildSignInPath(next_path))}`,
  )
}

export interface SignedIn {
  user: string
  csrf_token: string
  next_path: string
}

export function renderSignedInPage(site: Site, { user, csrf_token, next_path }: SignedIn): string {
  return renderPage(
    site,
    'Welcome back',
    `<p>You are signed in as <strong>${escapeHtml(user)}</strong>.</p>
${renderButton('Continue', next_path)}
<form method="post" action="/auth/sign-out">
  <input type="hidden" name="csrf_token" value="${escapeHtml(csrf_token)}">
  <button class="action quiet">Sign out</button>
</form>`,
  )
}

/** For errors without a more specific page. */
export function renderProblemPage(site: Site, title: string, message: string): string {
  return renderPage(
    site,
    title,
    `<p>${escapeHtml(message)}</p>
${renderButton('Go to sign-in', buildSignInPath(FRONT_PAGE))}`,
  )
}

function buildSignInPath(next_path: string): string {
  return `/sign-in${buildQuery(next_path)}`
}

function buildSsoPath({ id }: Choice, next_path: string): string {
  return `/auth/sso/${encodeURIComponent(id)}${buildQuery(next_path)}`
}

function buildQuery(next_path: string): string {
  return next_path === FRONT_PAGE ? '' : `?next=${encodeURIComponent(next_path)}`
}

/** The most likely next step; every page has at most one prominent action. */
function renderButton(label: string, address: string): string {
  return `<a class="action" href="${escapeHtml(address)}">${escapeHtml(label)}</a>`
}

function renderQuietButton(label: string, address: string): string {
  return `<a class="action quiet" href="${escapeHtml(address)}">${escapeHtml(label)}</a>`
}

/** The frame of every page. */
export function renderPage({ region, base_path }: Site, title: string, content: string): string {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Waybill</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_ADDRESS}">
</head>
<body>
<main>
<header>
<p class="name">${LOGO} Waybill</p>
<p class="what">${TAGLINE}</p>
</header>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
${region === undefined ? '' : `<footer class="region">Region: ${escapeHtml(region)}</footer>`}
</body>
</html>
`
  return addBasePathToLinks(page, base_path)
}
