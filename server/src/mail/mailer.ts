// Mails are queued in the transaction that makes them necessary and sent by the worker. Their content is sealed while
// queued, because mails contain sign-in links.
import type { Db } from '../db/database.ts'
import type { MailKind } from '../domain/mail-limit.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The organization that sends it; omitted if the recipient asked for it, or if it is about their account. */
  from_org?: FromOrg
}

/** Mail of an organization is limited and can be stopped; its line in a digest is the subject with this link. */
export interface FromOrg {
  kind: Exclude<MailKind, 'account'>
  name: string
  link: string
  /** For an invitation, which shows what became of its mail. */
  invitation_id?: string
}

export interface Mailer {
  /** Call it in the transaction that makes the mail necessary. */
  queue(tx: Db, org_id: string, now: Date, mail: Mail): Promise<void>
}
