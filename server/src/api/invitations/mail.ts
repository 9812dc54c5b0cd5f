// The invitation mail, with a link that contains the token. Opening it shows a button and does not use the token.
import { escapeHtml } from '../../lib/html.ts'
import type { Mail } from '../../mail/mailer.ts'

const DAY_MS = 86_400_000
const VALID_DAYS = 7

export interface InvitationMail {
  invitation_id: string
  email: string
  org: string
  role: string
  invited_by: string
  token: string
  expires_at: Date
}

export function computeExpiry(now: Date): Date {
  return new Date(now.getTime() + VALID_DAYS * DAY_MS)
}

export function buildInvitationMail(base_url: string, invitation: InvitationMail): Mail {
  const { invitation_id, email, org, role, invited_by, token, expires_at } = invitation
  const link = `${base_url}/auth/invitation?token=${encodeURIComponent(token)}`
  const invites = `${invited_by} invites you to the organization ${org}, with the role ${role}.`
  const validity = `The link works once, for ${email}, until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`
  const ignore = 'If you did not expect this invitation, ignore this mail.'
  return {
    to: email,
    from_org: { kind: 'organization', name: org, link, invitation_id },
    subject: `${invited_by} invites you to ${org}`,
    text: [invites, `Accept the invitation:\n${link}`, validity, ignore, ''].join('\n\n'),
    html: [
      '<!doctype html>',
      `<p>${escapeHtml(invites)}</p>`,
      `<p><a href="${escapeHtml(link)}">Accept the invitation</a></p>`,
      `<p>${escapeHtml(validity)}</p>`,
      `<p>${escapeHtml(ignore)}</p>`,
      '',
    ].join('\n'),
  }
}
