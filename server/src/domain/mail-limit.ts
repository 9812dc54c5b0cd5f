// Whether a mail is sent, held back for the daily digest of its recipient, or not sent at all.

/**
 * `account`: the recipient asked for it, or it is about their account. `organization`: an invitation or a notification.
 * `alert`: raised by the service for the people of an organization. `digest`: what was held back.
 */
export type MailKind = 'account' | 'organization' | 'alert' | 'digest'

export interface Recipient {
  /** Whether whoever reads the address wants no mail of organizations. */
  is_stopped: boolean
  /** Mails of organizations in this period, with this one. */
  sent: number
  /** Null for no limit. */
  most: number | null
}

/**
 * A link that somebody asked for, or a notice that an account was taken over, must arrive whatever strangers do; what
 * sends them has limits of its own. Alerts go only to people who joined the organization, and are too rare to count.
 */
export function decideMail(kind: MailKind, { is_stopped, sent, most }: Recipient): 'send' | 'hold' | 'stop' {
  if (kind === 'account') return 'send'
  if (is_stopped) return 'stop'
  return kind === 'organization' && most !== null && sent > most ? 'hold' : 'send'
}

/** People get more from organizations that they joined: strangers cannot use that up. */
const TIMES_FROM_OWN = 10

export function computeMostMails(per_address: number | null, is_member: boolean): number | null {
  return per_address === null ? null : per_address * (is_member ? TIMES_FROM_OWN : 1)
}
