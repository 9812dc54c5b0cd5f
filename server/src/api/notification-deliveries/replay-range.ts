// POST /notification-deliveries/{org}/replay: sends the deliveries of a period again.

import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { invalid } from '../../lib/errors.ts'
import { type Caller, type CallerOrg, type Deps, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { toIdAfter, toIdBefore } from '../shared/id-bounds.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, findSavedAnswer, saveAnswer } from '../shared/idempotency-store.ts'
import { lockOrgDetails } from '../shared/org-details-store.ts'
import { tooManyToReplay } from './problems.ts'
import { replayDeliveries } from './store.ts'
import { Replayed, ReplayPost } from './wire.ts'

const MAX_DELIVERIES = 10_000
const MAX_DAYS = 30
const SECONDS_PER_DAY = 86_400
const DEFAULT_STATUS = 'failed'

export const replayNotificationDeliveries = defineOperation(
  {
    id: 'replayNotificationDeliveries',
    method: 'POST',
    path: '/notification-deliveries/{org}/replay',
    tag: 'Notifications',
    summary: 'Send the deliveries of a period again',
    description:
      'Sends all finished deliveries of the period whose target was not removed. The period may have at most ' +
      `${MAX_DAYS} days and at most ${MAX_DELIVERIES.toLocaleString('en')} such deliveries. Each keeps its id. Returns how ` +
      'many are sent again.',
    access: 'member',
    audit: 'notification_deliveries_replayed',
    params: OrgPath,
    body: ReplayPost,
    returns: Replayed,
    fails: [400, 403, 422],
    example: { body: { from: 1_772_496_000, to: 1_772_582_400, status: 'failed' } },
  },
  async (request, deps) => {
    const { body, org, now } = request
    const { org_id } = org
    refuseRange(body)
    const idempotency = buildIdempotencyClaim(request)
    return deps.db.withTransaction({ org_id }, async tx => {
      // The lock serializes requests, so a concurrent retry sees what the first one did.
      await lockOrgDetails(tx, org_id)
      const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) {
        const answer = await findSavedAnswer<Replayed>(tx, org_id, idempotency)
        assert(answer, 'the answer is stored with the idempotency key')
        return answer
      }
      const answer = await replay(tx, request, deps)
      await saveAnswer(tx, org_id, idempotency, answer)
      return answer
    })
  },
)

function refuseRange({ from, to }: ReplayPost): void {
  if (to < from) throw invalid({ to: `Input should not be before \`from\` [input: ${to}]` })
  if (to - from > MAX_DAYS * SECONDS_PER_DAY) {
    throw invalid({ to: `Input should be at most ${MAX_DAYS} days after \`from\` [input: ${to}]` })
  }
}

interface ReplayRequest {
  body: ReplayPost
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

async function replay(tx: Db, request: ReplayRequest, { ids }: Deps): Promise<Replayed> {
  const { body, org, now } = request
  const { from, to, status = DEFAULT_STATUS, number = null, notification_type = null } = body
  const from_at = new Date(from * 1000)
  const to_at = new Date(to * 1000)
  const { found, replayed } = await replayDeliveries(tx, org.org_id, {
    not_before_id: toIdBefore(from_at),
    before_id: toIdAfter(to_at),
    from_at,
    to_at,
    status: status === 'all' ? null : status,
    number,
    notification_type,
    max: MAX_DELIVERIES,
    now,
  })
  if (found > MAX_DELIVERIES) throw tooManyToReplay(found, MAX_DELIVERIES)
  if (replayed > 0) {
    const data = { deliveries: replayed, from, to, status, number, notification_type }
    await recordEvent(tx, request, ids, { kind: 'notification_deliveries_replayed', data })
  }
  return { replayed }
}
