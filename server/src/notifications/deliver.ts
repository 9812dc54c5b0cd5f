// Delivers one message to one target: looks up the target's current settings, formats the notice for its type, sends
// it, and reports the result in words from a fixed list. A retry has the same id and the same content.

import { type Egress, type EgressReason, type Posted, REASONS } from '@waybill/egress'
import type { Database, Db } from '../db/database.ts'
import type { JobKind, Outcome } from '../delivery/job.ts'
import type { DeliveryPayload, Job } from '../delivery/outbox.ts'
import { buildChatMessage } from '../domain/notification/chat.ts'
import type { Notice, SwitchedOffNotice, TargetType } from '../domain/notification/notice.ts'
import { buildSignatureHeaders } from '../domain/notification/signature.ts'
import { buildWebhookBody } from '../domain/notification/webhook.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import { buildEventsStep } from '../events/store.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { type Ids, toWireId } from '../lib/ids.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { SendLimited } from '../mail/send-limited.ts'
import * as store from './deliver-store.ts'
import { mailAdmins } from './mail-admins.ts'
import { mailEach } from './mail-each.ts'
import { WEBHOOK_ADDRESS, WEBHOOK_SECRET } from './purposes.ts'

const GONE = 410
const FIRST_SERVER_ERROR = 500
/** The receiver did not respond. All other reasons concern the address, and fail at once. */
const UNREACHED: ReadonlySet<EgressReason> = new Set([
  'unknown_name',
  'not_connected',
  'slow_connect',
  'not_trusted',
  'broken',
  'slow_answer',
])
const MS_PER_SECOND = 1000

export interface DeliveryParts {
  db: Database
  egress: Pick<Egress, 'post'>
  sendLimited: SendLimited
  sealer: Sealer
  base_url: string
  clock: Clock
  ids: Ids
}

export function makeDelivery(parts: DeliveryParts): JobKind {
  return {
    work: async job => {
      const { notice, to, is_replay } = job.payload as DeliveryPayload
      if (job.target_id === null) return mailEach(parts, job, notice, to === undefined ? [] : [to])
      const target = await store.findTarget(parts.db, job.org_id, job.target_id)
      if (!target || target.removed_at) {
        return { error: 'The target was removed', is_final: true, is_untried: true }
      }
      const isTried = is_replay || notice.about === 'test'
      if (target.switched_off_at && !isTried) {
        return { error: 'The target is switched off', is_final: true, is_untried: true }
      }
      if (target.type === 'EMAIL') return mailEach(parts, job, notice, target.emails ?? [])
      return toOutcome(await postNotice(parts, job, notice, target))
    },
    onSwitchedOff: (tx, job, outcome, now) => notifyAdmins(tx, parts, job, outcome, now),
  }
}

function postNotice(
  { egress, sealer, base_url, clock }: DeliveryParts,
  { job_id }: Job,
  notice: Notice,
  target: store.TargetRow,
): Promise<Posted> {
  const address = unseal(sealer, WEBHOOK_ADDRESS, target.webhook_sealed)
  const content = { 'content-type': 'application/json' }
  if (target.type === 'CHAT') {
    return egress.post(address, { headers: content, body: buildChatMessage(notice, base_url) })
  }
  const body = buildWebhookBody(notice, base_url)
  const now = clock.now()
  const signed = buildSignatureHeaders({
    id: toWireId(job_id),
    timestamp_s: Math.floor(now.getTime() / MS_PER_SECOND),
    body,
    secrets: listSecrets(sealer, target, now),
  })
  return egress.post(address, { headers: { ...content, ...signed }, body })
}

/** Newest first, followed by the previous secret while receivers may still use it. */
function listSecrets(sealer: Sealer, target: store.TargetRow, now: Date): string[] {
  const { secret_sealed, old_secret_sealed, old_secret_until } = target
  const isOldGood = old_secret_until !== null && old_secret_until > now
  return [secret_sealed, isOldGood ? old_secret_sealed : null]
    .filter(sealed => sealed !== null)
    .map(sealed => unseal(sealer, WEBHOOK_SECRET, sealed))
}

function unseal(sealer: Sealer, purpose: string, sealed: string | null): string {
  const opened = sealed === null ? undefined : sealer.open(purpose, sealed)
  assert(opened !== undefined, 'a target is opened with the key it was sealed with')
  return opened
}

function toOutcome(result: Posted): Outcome {
  if (!result.reached) {
    // A malformed address fails every time; the address of a host name may change.
    const is_final = result.reason === 'bad_address'
    const is_down = UNREACHED.has(result.reason)
    return { error: REASONS[result.reason], is_final, ...(is_down ? { is_reached: false } : {}) }
  }
  const { status, start, retry_after_s } = result
  if (status >= 200 && status < 300) return { error: null, status, answer: start, is_reached: true }
  const error = `The receiver answered ${status}`
  const isGone = status === GONE
  const is_reached = status < FIRST_SERVER_ERROR
  return { error, status, answer: start, retry_after_s, is_final: isGone, switches_off: isGone, is_reached }
}

/** The admins must learn that a target no longer receives notifications. */
async function notifyAdmins(
  tx: Db,
  { ids, sealer }: DeliveryParts,
  { org_id, target_id, notification_id, notification_type }: Job,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  assert(target_id !== null, 'only a target can be switched off')
  const row = await store.findSwitchedOffTarget(tx, org_id, target_id)
  assert(row, 'a target that was just switched off exists')
  const { org, number, name, type, emails, webhook_sealed, failing_since } = row
  const shown = emails?.join(', ') ?? new URL(unseal(sealer, WEBHOOK_ADDRESS, webhook_sealed)).origin
  const notification = number === null || name === null ? null : { number, name }
  const error = outcome.error ?? ''
  const notice: SwitchedOffNotice = {
    about: 'target',
    event_type: 'TARGET_SWITCHED_OFF',
    org,
    happened_at: now.getTime() / MS_PER_SECOND,
    notification,
    target: { type: type as TargetType, shown },
    failing_since: (failing_since ?? now).getTime() / MS_PER_SECOND,
    error,
  }
  const told = await mailAdmins(tx, ids, org_id, { notice, now, notification_id })
  const event = {
    event_id: ids.next(),
    kind: 'notification_target_switched_off' as const,
    actor: SYSTEM_ACTOR,
    now,
    request_id: 'worker',
    data: { notification, notification_type, target: { type, shown }, error, told },
  }
  await tx.runSteps([buildEventsStep(org_id, [event])])
}
