// The job of sending a mail that was queued: opens what was sealed and hands it over.
import type { JobKind } from '../delivery/job.ts'
import { assert } from '../lib/assert.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Mail } from './mailer.ts'
import { MAIL_PURPOSE } from './queue.ts'
import type { SendMail } from './send.ts'

export interface MailJobParts {
  sendMail: SendMail
  sealer: Sealer
  /** The one gate for JSON. */
  parseJson(bytes: Buffer, field: string): unknown
}

/** What the worker does with a job of the kind `mail`. */
export function makeMailJob({ sendMail, sealer, parseJson }: MailJobParts): JobKind {
  return {
    // It holds a link to sign in with.
    forgets_payload: true,
    work: async job => {
      const { sealed } = job.payload as { sealed: string }
      const opened = sealer.open(MAIL_PURPOSE, sealed)
      assert(opened !== undefined, 'a mail is opened with the key it was sealed with')
      return sendMail(job.job_id, parseJson(Buffer.from(opened), 'mail') as Mail)
    },
  }
}
