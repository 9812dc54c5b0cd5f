// Mails are queued in the transaction that makes them necessary and sent by the worker. Their content is sealed while
// queued, because mails contain sign-in links.
import type { Db } from '../db/database.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

export interface Mailer {
  /** Call it in the transaction that makes the mail necessary. */
  queue(tx: Db, org_id: string, now: Date, mail: Mail): Promise<void>
}
