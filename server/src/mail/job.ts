// The job that sends a queued mail: opens the sealed content and hands it to the mail server.
import type { JobKind } from '../delivery/job.ts'
import { assert } from '../lib/assert.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Mail } from './mailer.ts'
import { MAIL_PURPOSE } from './queue.ts'
import type { SendMail } from './send.ts'

export interface MailJobParts {
  sendMail: SendMail
  sealer: Sealer
  /** The parser for untrusted JSON. */
  parseJson(bytes: Buffer, field: string): unknown
}

/** The handler for jobs of the kind `mail`. */
export function makeMailJob({ sendMail, sealer, parseJson }: MailJobParts): JobKind {
  return {
    // It contains a sign-in link.
    forgets_payload: true,
    work: async job => {
      const { sealed } = job.payload as { sealed: string }
      const opened = sealer.open(MAIL_PURPOSE, sealed)
      assert(opened !== undefined, 'a mail can be opened with the key it was sealed with')
      return sendMail(job.job_id, parseJson(Buffer.from(opened), 'mail') as Mail)
    },
  }
}
