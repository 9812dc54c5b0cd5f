// The job that sends a queued mail: opens the sealed content and hands it to the mail server.
import type { JobKind } from '../delivery/job.ts'
import { assert } from '../lib/assert.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Mail } from './mailer.ts'
import { MAIL_PURPOSE } from './queue.ts'
import type { SendLimited } from './send-limited.ts'

export interface MailJobParts {
  sendLimited: SendLimited
  sealer: Sealer
  /** The parser for untrusted JSON. */
  parseJson(bytes: Buffer, field: string): unknown
  /** Stores what became of the mail of an invitation. */
  saveInvitationMail(org_id: string, invitation_id: string, mail: InvitationMailState): Promise<void>
}

type InvitationMailState = 'sent' | 'held' | 'stopped'

/** The handler for jobs of the kind `mail`. */
export function makeMailJob({ sendLimited, sealer, parseJson, saveInvitationMail }: MailJobParts): JobKind {
  return {
    // It contains a sign-in link.
    forgets_payload: true,
    work: async ({ org_id, job_id, payload }) => {
      const { sealed } = payload as { sealed: string }
      const opened = sealer.open(MAIL_PURPOSE, sealed)
      assert(opened !== undefined, 'a mail can be opened with the key it was sealed with')
      const mail = parseJson(Buffer.from(opened), 'mail') as Mail
      const sent = await sendLimited({ org_id, message_id: job_id }, mail)
      const { invitation_id } = mail.from_org ?? {}
      if (invitation_id !== undefined && sent.error === null) {
        await saveInvitationMail(org_id, invitation_id, sent.suppressed ?? 'sent')
      }
      return sent
    },
  }
}
