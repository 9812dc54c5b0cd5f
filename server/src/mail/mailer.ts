// Mail is queued in the transaction that makes it necessary and sent by the worker. What it says is sealed while it waits:
// mails carry links that sign people in.
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
