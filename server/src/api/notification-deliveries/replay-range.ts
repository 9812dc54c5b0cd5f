// POST /notification-deliveries/{org}/replay: send again what was made in a time.
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { invalid } from '../../lib/errors.ts'
import { type Caller, type CallerOrg, type Deps, defineOperation } from '../operation.ts'
import { lockOrgDetails } from '../orgs/store.ts'
import { OrgPath } from '../orgs/wire.ts'
import { toIdAfter, toIdBefore } from '../shared/id-bounds.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, findSavedAnswer, saveAnswer } from '../shared/idempotency-store.ts'
import { tooManyToReplay } from './problems.ts'
import { replayDeliveries } from './store.ts'
import { Replayed, ReplayPost } from './wire.ts'

const MAX_AT_ONCE = 10_000
const MAX_DAYS = 30
const SECONDS_PER_DAY = 86_400
const DEFAULT_STATUS = 'failed'

export const replayNotificationDeliveries = defineOperation(
  {
    id: 'replayNotificationDeliveries',
    method: 'POST',
    path: '/notification-deliveries/{org}/replay',
    tag: 'Notifications',
    summary: 'Send the deliveries of a time again',
    description:
      `All that are finished and whose target was not removed, of at most ${MAX_DAYS} days and at most ` +
      `${MAX_AT_ONCE.toLocaleString('en')} at once. Each keeps its id. Answers how many there are.`,
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
      // One after the other: a retry that comes together with the first sees what that did.
      await lockOrgDetails(tx, org_id)
      const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) {
        const answer = await findSavedAnswer<Replayed>(tx, org_id, idempotency)
        assert(answer, 'the answer is stored with the name of the request')
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
    most: MAX_AT_ONCE,
    now,
  })
  if (found > MAX_AT_ONCE) throw tooManyToReplay(found, MAX_AT_ONCE)
  if (replayed > 0) {
    const data = { deliveries: replayed, from, to, status, number, notification_type }
    await recordEvent(tx, request, ids, { kind: 'notification_deliveries_replayed', data })
  }
  return { replayed }
}
