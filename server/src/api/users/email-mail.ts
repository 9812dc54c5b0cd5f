// The mails about a new address: the link to the new address, and the notice to the previous one.
import { escapeHtml } from '../../lib/html.ts'
import type { Mail } from '../../mail/mailer.ts'

export interface ProofMail {
  email: string
  user: string
  token: string
  expires_at: Date
}

export function buildProofMail(base_url: string, { email, user, token, expires_at }: ProofMail): Mail {
  const link = `${base_url}/auth/address?token=${encodeURIComponent(token)}`
  const asked = `The user ${user} wants to use ${email} as their mail address in Waybill.`
  const open = 'If that is you, open this link in a browser in which you are signed in:'
  const validity = `It works once, until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`
  const ignore = 'If it is not you, ignore this mail: nothing changes, and nobody else can use the link.'
  return {
    to: email,
    subject: 'Confirm your mail address for Waybill',
    text: [asked, `${open}\n${link}`, validity, ignore, ''].join('\n\n'),
    html: [
      '<!doctype html>',
      `<p>${escapeHtml(asked)}</p>`,
      `<p>${open} <a href="${escapeHtml(link)}">Confirm the address</a></p>`,
      `<p>${validity}</p>`,
      `<p>${ignore}</p>`,
      '',
    ].join('\n'),
  }
}

/** Sent to the previous address. It does not name the new one, which is nobody else's business. */
export function buildNoticeMail(base_url: string, { to, user }: { to: string; user: string }): Mail {
  const changed = `The user ${user} has changed their mail address in Waybill (${base_url}). Mail no longer goes to ${to}.`
  const help =
    'If that was not you, somebody else is signed in as you: ask the operator of the service to end your sessions.'
  return {
    to,
    subject: 'Your mail address in Waybill has changed',
    text: [changed, help, ''].join('\n\n'),
    html: ['<!doctype html>', `<p>${escapeHtml(changed)}</p>`, `<p>${help}</p>`, ''].join('\n'),
  }
}
