// Sends a test message to each target, including those that are switched off. A retry sends nothing.
import type { Db } from '../../db/database.ts'
import { endPauses } from '../../delivery/breaker-store.ts'
import { enqueueDeliveries } from '../../delivery/outbox.ts'
import type { TestNotice } from '../../domain/notification/notice.ts'
import { recordEvent } from '../../events/record.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from './idempotency.ts'
import { claimKey, findSavedAnswer, saveAnswer } from './idempotency-store.ts'
import { checkTestLimit } from './sending-limits.ts'
import { summarizeTargets } from './targets.ts'
import type { StoredTarget, TargetOwner } from './targets-store.ts'
import { toEpoch } from './wire.ts'

export interface TestRequest {
  params: unknown
  body: unknown
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
  operation_id: string
  idempotency_key: string | undefined
}

export interface TestInput {
  owner: TargetOwner
  /** Null for notifications that the service raises itself. */
  notification: { number: number; name: string } | null
  targets: readonly StoredTarget[]
}

/** Lock the owner of the targets before calling it, so retries are serialized. Returns the ids of the jobs. */
export async function sendTest(
  tx: Db,
  request: TestRequest,
  { ids, sealer }: Deps,
  { owner, notification, targets }: TestInput,
): Promise<string[]> {
  const { org, caller, now } = request
  const idempotency = buildIdempotencyClaim(request)
  const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
  refuseOtherContent(answered_sha256, idempotency.request_sha256)
  if (answered_sha256 !== null) return (await findSavedAnswer<string[]>(tx, org.org_id, idempotency)) ?? []
  const notice: TestNotice = {
    about: 'test',
    event_type: 'TEST',
    org: org.name,
    happened_at: toEpoch(now),
    asked_by: caller.name,
    notification,
  }
  const deliveries = targets.map(({ target_id }) => ({
    job_id: ids.next(),
    event_type: 'TEST' as const,
    ...owner,
    target_id,
    payload: { notice },
  }))
  await checkTestLimit(tx, request, countMessages(targets))
  await enqueueDeliveries(tx, org.org_id, deliveries, now)
  const target_ids = targets.map(({ target_id }) => target_id)
  await endPauses(tx, org.org_id, target_ids, now)
  const about = notification ?? { notification_type: owner.notification_type }
  await recordEvent(tx, request, ids, {
    kind: 'notification_test_sent',
    data: { ...about, targets: summarizeTargets(targets, sealer) },
  })
  const job_ids = deliveries.map(({ job_id }) => job_id)
  await saveAnswer(tx, org.org_id, idempotency, job_ids)
  return job_ids
}

function countMessages(targets: readonly StoredTarget[]): number {
  return targets.reduce((sum, { emails }) => sum + (emails?.length ?? 1), 0)
}
