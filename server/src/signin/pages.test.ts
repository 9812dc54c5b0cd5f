// Untrusted text stays text wherever the sign-in pages show it, and rules for all pages are tested on each.
import { describe, expect, it } from 'vitest'
import {
  renderInvitationNeedsSsoPage,
  renderInvitationPage,
  renderInvitationRefusedPage,
  renderLinkRefusedPage,
  renderLinkSentPage,
  renderProblemPage,
  renderRedeemPage,
  renderSignedInPage,
  renderSignInPage,
  renderSsoRefusedPage,
  renderSsoUnavailablePage,
  type Site,
} from './pages.ts'
import { STYLE } from './style.ts'

const HOSTILE = `"'><script>x</script>&`
const SITE: Site = { region: undefined, choices: [], mail_delivery: 'smtp', base_path: '' }
const ACME = { id: 'acme', name: 'Acme' }
const OLD_LINK = { is_new_browser: false, is_sso_required: false }
const HOSTILE_CHOICE = { id: 'sso', name: HOSTILE }

it.each([
  ['the name of a provider', renderSignInPage({ ...SITE, choices: [HOSTILE_CHOICE] }, { next_path: '/' })],
  ['the name of a provider that refused', renderSsoRefusedPage(SITE, HOSTILE_CHOICE)],
  ['the name of a provider that is away', renderSsoUnavailablePage(SITE, HOSTILE_CHOICE, '/')],
  ['the region', renderRedeemPage({ ...SITE, region: HOSTILE }, 'token')],
  ['where to go next', renderSignInPage(SITE, { next_path: HOSTILE })],
  ['where to go on', renderSignedInPage(SITE, { user: 'max', csrf_token: 'token', next_path: HOSTILE })],
  ['what was typed', renderSignInPage(SITE, { next_path: '/', email: HOSTILE, problem: 'wrong' })],
  ['an address', renderLinkSentPage(SITE, { email: HOSTILE, next_path: '/' })],
  ['a token', renderRedeemPage(SITE, HOSTILE)],
  ['the token of an invitation', renderInvitationPage(SITE, { token: HOSTILE, csrf_token: 'token' })],
  ['a user', renderSignedInPage(SITE, { user: HOSTILE, csrf_token: 'token', next_path: '/' })],
  ['a user with another address', renderInvitationNeedsSsoPage(SITE, HOSTILE)],
  ['a message', renderProblemPage(SITE, 'Sign in', HOSTILE)],
])('shows %s as text', (_what, page) => {
  expect(page).not.toContain('<script>')
  expect(page).toContain('&quot;&#39;&gt;&lt;script&gt;x&lt;/script&gt;&amp;')
})

describe.each([
  ['to sign in', renderSignInPage(SITE, { next_path: '/' })],
  ['after a mail', renderLinkSentPage(SITE, { email: 'max@acme.example', next_path: '/' })],
  ['of a link', renderRedeemPage(SITE, 'token')],
  ['of a link that is refused', renderLinkRefusedPage(SITE, OLD_LINK)],
  ['of an invitation', renderInvitationPage(SITE, { token: 'token', csrf_token: 'token' })],
  ['of an invitation that is refused', renderInvitationRefusedPage(SITE)],
  ['of an invitation to somebody else', renderInvitationNeedsSsoPage(SITE, 'max')],
  ['of a provider that refused', renderSsoRefusedPage(SITE, ACME)],
  ['of a provider that is away', renderSsoUnavailablePage(SITE, ACME, '/')],
  ['of who is signed in', renderSignedInPage(SITE, { user: 'max', csrf_token: 'token', next_path: '/' })],
  ['of a problem', renderProblemPage(SITE, 'Not done', 'No.')],
])('the page %s', (_what, page) => {
  it('offers a next step', () => {
    expect(page).toMatch(/<button class="action|<a class="action/)
  })

  it('names the service, has one heading, and nothing that the policy would block', () => {
    expect(page).toContain('</svg> Waybill</p>')
    expect(page.match(/<h1>/g)).toHaveLength(1)
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  })
})

describe('the sign-in page', () => {
  const focused = /<input id="email"[^>]* autofocus>/

  it('focuses the field unless a button comes first', () => {
    expect(renderSignInPage(SITE, { next_path: '/' })).toMatch(focused)
    expect(renderSignInPage({ ...SITE, choices: [ACME] }, { next_path: '/' })).not.toMatch(focused)
    const wrong = { next_path: '/', email: 'max', problem: 'This is no address.' }
    expect(renderSignInPage({ ...SITE, choices: [ACME] }, wrong)).toMatch(focused)
  })

  it('says where the link is if there is no mail server, and only then, without a path', () => {
    const sent = { email: 'max@acme.example', next_path: '/' }
    for (const mail_delivery of ['smtp', 'file'] as const) {
      const site = { ...SITE, mail_delivery }
      for (const page of [renderSignInPage(site, { next_path: '/' }), renderLinkSentPage(site, sent)]) {
        const text = page.replaceAll(/<[^>]+>/g, '')
        expect(text.includes('Mail is not set up here')).toBe(mail_delivery === 'file')
        expect(text.includes('in the folder outbox-mail of the data directory')).toBe(
          mail_delivery === 'file',
        )
      }
    }
  })

  it('names the region where there is one', () => {
    expect(renderSignInPage({ ...SITE, region: 'eu-1' }, { next_path: '/' })).toContain('Region: eu-1')
    expect(renderSignInPage(SITE, { next_path: '/' })).not.toContain('Region')
  })
})

it('a link opened in a browser that did not request it names that reason first', () => {
  const findFirstItem = (page: string) => /<li>(.*?)<\/li>/.exec(page)?.[1]
  expect(findFirstItem(renderLinkRefusedPage(SITE, { ...OLD_LINK, is_new_browser: true }))).toMatch(
    /another browser/,
  )
  expect(findFirstItem(renderLinkRefusedPage(SITE, OLD_LINK))).toMatch(/already used/)
})

describe('the style', () => {
  const [light = '', dark = ''] = STYLE.split('@media (prefers-color-scheme: dark)')

  it.each([
    ['ink', 'card', 4.5],
    ['ink', 'notice', 4.5],
    ['ink', 'paper', 4.5],
    ['dimmed', 'card', 4.5],
    ['dimmed', 'paper', 4.5],
    ['problem', 'card', 4.5],
    ['link', 'card', 4.5],
    ['on-action', 'action', 4.5],
    ['on-action', 'action-hover', 4.5],
    ['field-edge', 'card', 3],
    ['ring', 'card', 3],
    ['problem', 'card', 3],
  ])('lets %s on %s be read, in light and dark', (front, back, least) => {
    for (const part of [light, dark]) {
      expect(computeContrast(readColour(part, front), readColour(part, back))).toBeGreaterThanOrEqual(least)
    }
  })
})

function readColour(style: string, name: string): string {
  const [, hex = ''] = new RegExp(`--${name}: #([0-9a-f]{3,6})\\b`).exec(style) ?? []
  return hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex
}

/** As defined by WCAG 2. */
function computeContrast(one: string, other: string): number {
  const [bright = 0, dim = 0] = [computeBrightness(one), computeBrightness(other)].sort((a, b) => b - a)
  return (bright + 0.05) / (dim + 0.05)
}

function computeBrightness(hex: string): number {
  const [red = Number.NaN, green = 0, blue = 0] = (hex.match(/../g) ?? []).map(pair => {
    const part = Number.parseInt(pair, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
