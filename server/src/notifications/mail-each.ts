// Mails a notice to the addresses of one target, one message each, so that no recipient sees the others.
import type { Database } from '../db/database.ts'
import type { Outcome } from '../delivery/job.ts'
import { enqueueDeliveries, type Job } from '../delivery/outbox.ts'
import type { EventType, Notice } from '../domain/notification/notice.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import type { SendMail, Sent } from '../mail/send.ts'
import { renderMail } from './mail.ts'

/** From this SMTP status on the failure is permanent: a retry would not help. */
const PERMANENT = 500

export interface MailParts {
  db: Database
  sendMail: SendMail
  base_url: string
  clock: Clock
  ids: Ids
}

/**
 * Succeeds once one recipient has the mail, like a single mail to all of them would. Recipients that failed
 * temporarily get their own delivery; retrying the whole job would send the mail to the others twice.
 */
export async function mailEach(
  parts: MailParts,
  job: Job,
  notice: Notice,
  addresses: readonly string[],
): Promise<Outcome> {
  const mail = renderMail(notice, parts.base_url)
  const sent: { to: string; result: Sent }[] = []
  for (const [place, to] of addresses.entries()) {
    // The same in every attempt, so that mail clients can detect repeats.
    const message_id = place === 0 ? job.job_id : `${job.job_id}.${place + 1}`
    sent.push({ to, result: await parts.sendMail(message_id, { to, ...mail }) })
  }
  const accepted = sent.find(({ result }) => result.error === null)
  if (!accepted) return sent[0]?.result ?? { error: 'The target has no recipients' }
  const missed = sent.filter(({ result }) => result.error !== null)
  if (missed.length === 0) return accepted.result
  const later = missed.filter(({ result }) => result.status === null || result.status < PERMANENT)
  await deliverLater(
    parts,
    job,
    notice,
    later.map(({ to }) => to),
  )
  const count = `${sent.length - missed.length} of ${sent.length} addresses`
  return { ...accepted.result, answer: `Accepted for ${count}. ${accepted.result.answer ?? ''}`.trim() }
}

async function deliverLater(
  { db, ids, clock }: MailParts,
  { org_id, event_type, notification_id }: Job,
  notice: Notice,
  addresses: readonly string[],
): Promise<void> {
  const deliveries = addresses.map(to => ({
    job_id: ids.next(),
    event_type: event_type as EventType,
    notification_id,
    // The successful recipients already counted for the target.
    notification_type: null,
    target_id: null,
    payload: { notice, to },
  }))
  await db.withTransaction({ org_id }, tx => enqueueDeliveries(tx, org_id, deliveries, clock.now()))
}
