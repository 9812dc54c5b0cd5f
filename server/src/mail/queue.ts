// Queues mails in the outbox, sealed.
import type { Db } from '../db/database.ts'
import { enqueue } from '../delivery/outbox.ts'
import type { Ids } from '../lib/ids.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Mail, Mailer } from './mailer.ts'

export const MAIL_JOB = 'mail'
/** The purpose for which mails are sealed. */
export const MAIL_PURPOSE = 'mail'
/** The organization under which mails are queued that belong to none. */
export const NO_ORG = '00000000-0000-0000-0000-000000000000'

export function makeMailer(ids: Ids, sealer: Sealer): Mailer {
  return {
    queue: (tx: Db, org_id: string, now: Date, mail: Mail) =>
      enqueue(tx, org_id, {
        job_id: ids.next(),
        kind: MAIL_JOB,
        payload: { sealed: sealer.seal(MAIL_PURPOSE, JSON.stringify(mail)) },
        now,
      }),
  }
}
