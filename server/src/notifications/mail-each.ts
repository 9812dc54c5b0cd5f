// Mails a notice to the addresses of one target, one message each, so that no recipient sees the others.
import type { Database } from '../db/database.ts'
import type { Outcome } from '../delivery/job.ts'
import { enqueueDeliveries, type Job } from '../delivery/outbox.ts'
import type { EventType, Notice } from '../domain/notification/notice.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ids } from '../lib/ids.ts'
import type { FromOrg } from '../mail/mailer.ts'
import type { LimitedSent, SendLimited } from '../mail/send-limited.ts'
import { renderMail } from './mail.ts'

/** From this SMTP status on the failure is permanent: a retry would not help. */
const PERMANENT = 500
/** Raised by the service, for people who belong to the organization. */
const ALERTS: ReadonlySet<Notice['about']> = new Set(['api_keys', 'target', 'log', 'scim_tokens'])

export interface MailParts {
  db: Database
  sendLimited: SendLimited
  base_url: string
  clock: Clock
  ids: Ids
}

/**
 * Succeeds once one recipient has the mail, like a single mail to all of them would. Recipients that failed
 * temporarily get their own delivery; retrying the whole job would send the mail to the others twice. It is suppressed
 * if no recipient may get it.
 */
export async function mailEach(
  parts: MailParts,
  job: Job,
  notice: Notice,
  addresses: readonly string[],
): Promise<Outcome> {
  const { link, ...mail } = renderMail(notice, parts.base_url)
  const kind = ALERTS.has(notice.about) ? 'alert' : 'organization'
  const from_org: FromOrg = { kind, name: notice.org, link }
  const sent: { to: string; result: LimitedSent }[] = []
  for (const [place, to] of addresses.entries()) {
    // The same in every attempt, so that mail clients can detect repeats.
    const message_id = place === 0 ? job.job_id : `${job.job_id}.${place + 1}`
    const id = { org_id: job.org_id, message_id }
    sent.push({ to, result: await parts.sendLimited(id, { to, ...mail, from_org }) })
  }
  const suppressed = sent.filter(({ result }) => result.suppressed !== null)
  const missed = sent.filter(({ result }) => result.error !== null)
  const accepted = sent.find(({ result }) => result.error === null && result.suppressed === null)
  if (!accepted)
    return missed[0]?.result ?? suppressed[0]?.result ?? { error: 'The target has no recipients' }
  if (missed.length + suppressed.length === 0) return accepted.result
  const later = missed.filter(({ result }) => result.status === null || result.status < PERMANENT)
  await deliverLater(
    parts,
    job,
    notice,
    later.map(({ to }) => to),
  )
  const count = `${sent.length - missed.length - suppressed.length} of ${sent.length} addresses`
  const sentences = [
    `Accepted for ${count}.`,
    ...describeSuppressed(suppressed),
    accepted.result.answer ?? '',
  ]
  return { ...accepted.result, answer: sentences.join(' ').trim() }
}

const WHY_SUPPRESSED = {
  stopped: 'accepts no mail from this service',
  held: 'gets it in the daily digest',
} as const

function describeSuppressed(suppressed: readonly { to: string; result: LimitedSent }[]): string[] {
  return suppressed.map(({ to, result }) => `${to} ${WHY_SUPPRESSED[result.suppressed ?? 'stopped']}.`)
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
