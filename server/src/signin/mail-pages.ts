// The pages on which whoever reads an address stops all mail of organizations to it, and allows it again.
import { renderPage, type Site } from './pages.ts'

/** Only the button stops mail: mail scanners that open links do not press it. The token is ours, so it is plain. */
const renderForm = (path: string, token: string, label: string, style = '') =>
  `<form method="post" action="${path}?token=${token}">
  <button class="action${style}">${label}</button>
</form>`

const WHAT_STAYS = 'Sign-in links that you ask for, and notices about your own account, still arrive.'

export function renderStopMailPage(site: Site, path: string, token: string): string {
  return renderPage(
    site,
    'Stop all mail?',
    `<p>No organization on this service will be able to send invitations or notifications to the address that got this mail.</p>
${renderForm(path, token, 'Stop all mail', ' big')}
<p class="hint">${WHAT_STAYS} You can allow mail again with the same link.</p>`,
  )
}

export function renderMailStoppedPage(site: Site, path: string, token: string): string {
  return renderPage(
    site,
    'Mail is stopped',
    `<p role="status">No organization on this service can send mail to this address any more.</p>
${renderForm(path, token, 'Allow mail again', ' quiet')}
<p class="hint">${WHAT_STAYS}</p>`,
  )
}

export function renderMailAllowedPage(site: Site, path: string, token: string): string {
  return renderPage(
    site,
    'Mail is allowed again',
    `<p role="status">Organizations on this service can send mail to this address. What they sent meanwhile does not arrive later.</p>
${renderForm(path, token, 'Stop all mail', ' quiet')}`,
  )
}

export function renderNoStopLinkPage(site: Site): string {
  return renderPage(
    site,
    'This link does not work',
    '<p>Copy the whole link from the mail. If that does not help, ask the operator of this service.</p>',
  )
}
