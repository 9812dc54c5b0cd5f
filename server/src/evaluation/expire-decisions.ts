// Handles decisions that have expired: records an event for each, and requests the evaluation of running artifacts
// that depend on them. Evaluations check the time themselves; this makes sure that an evaluation happens.
import type { Database } from '../db/database.ts'
import { type EventInput, type RequestContext, recordEvents } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import { type Ids, toWireId } from '../lib/ids.ts'
import {
  type ExpiredDecision,
  requestTrailEvaluations,
  takeExpiredDecisions,
} from './expiring-decisions-store.ts'

/** The limit of one transaction. The next round takes the rest. */
const MOST_AT_ONCE = 500

export async function expireDecisions(
  db: Database,
  { ids }: { ids: Ids },
  now: Date,
  org_id: string,
): Promise<void> {
  const caller = { name: SYSTEM_ACTOR }
  const context: RequestContext = { org: { org_id }, caller, now, request_id: 'evaluation' }
  await db.withTransaction({ org_id }, async tx => {
    const expired = await takeExpiredDecisions(tx, org_id, { now, limit: MOST_AT_ONCE })
    if (expired.length === 0) return
    tx.expectRows(expired.length)
    const trail_ids = [...new Set(expired.map(({ trail_id }) => trail_id))]
    await requestTrailEvaluations(tx, org_id, { trail_ids, actor: SYSTEM_ACTOR, now })
    await recordEvents(tx, context, ids, expired.map(buildEvent))
  })
}

function buildEvent(decision: ExpiredDecision): EventInput {
  const { flow_id, trail_id, control_id, expires_at } = decision
  return {
    kind: 'control_decision_expired',
    flow_id,
    trail_id,
    ...(control_id === null ? {} : { control_id }),
    data: {
      decision_id: toWireId(decision.attestation_id),
      template_reference_name: decision.attestation_name,
      identifier: decision.control,
      is_compliant: decision.is_compliant,
      artifact_fingerprint: decision.artifact_fingerprint,
      artifact_name: decision.artifact_name,
      target_artifact: decision.target_artifact,
      expires_at: expires_at.getTime() / 1000,
    },
  }
}
