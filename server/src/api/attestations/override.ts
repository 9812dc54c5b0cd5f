// Overrides in organizations that require two people: an override waits until a second person sends the same one.

import type { Db } from '../../db/database.ts'
import { awaitSecondPerson, needsTwoPersons } from '../decisions/two-persons.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { Accepted, type Deps } from '../operation.ts'
import { listOwnNames, requireDecider } from '../shared/duties.ts'
import { findOverridden } from '../shared/duties-store.ts'
import { refuseOtherContent } from '../shared/idempotency.ts'
import {
  claimKey,
  findEarlierRequest,
  type IdempotencyClaim,
  saveAnswer,
} from '../shared/idempotency-store.ts'
import { noSuchTrail } from '../trails/problems.ts'
import type { CommonBody } from './bodies.ts'
import { buildAttestationClaim } from './repeat.ts'
import { type AttestationRequest, ownWork } from './report.ts'

export interface OverrideRequest extends AttestationRequest {
  body: CommonBody & {
    reason?: unknown
    new_compliance_status?: unknown
    original_attestation_type?: unknown
  }
}

interface SavedAnswer {
  /** The decision that waited for a second person, if the override did not take effect. */
  waiting?: unknown
}

/** Undefined when the override takes effect now. An override that would fail is neither requested nor confirmed. */
export async function awaitOverride(request: OverrideRequest, deps: Deps): Promise<Accepted | undefined> {
  const { org, params, body, caller } = request
  const { db, ids } = deps
  const claim = buildAttestationClaim(request)
  const earlier = await findEarlier(request, claim, deps)
  // An override that took effect is found again where it is stored.
  if (earlier) return earlier.answer?.waiting === undefined ? undefined : new Accepted(earlier.answer.waiting)
  if (!needsTwoPersons(org, 'override')) return undefined
  await requireDecider(db, request, 'override')
  const { flow_name, trail_name } = params
  const { attestation_name, artifact_fingerprint = null, target_artifacts = [] } = body
  const { new_compliance_status, original_attestation_type } = body
  const own_names = await listOwnNames(db, request)
  const found = await findOverridden(db, org.org_id, { flow_name, trail_name, attestation_name, own_names })
  if (found.flow_id === null) throw noSuchFlow(flow_name, org.name)
  if (found.trail_id === null) throw noSuchTrail(trail_name, flow_name, org.name)
  if (found.own_work_of !== null) throw ownWork(body, found.own_work_of, caller)
  const target = { flow_name, trail_name, attestation_name, artifact_fingerprint, target_artifacts }
  const decision = {
    kind: 'override' as const,
    subject: { ...target, original_attestation_type, new_compliance_status },
    reason: String(body.reason),
  }
  return db.withTransaction({ org_id: org.org_id }, async tx => {
    const waiting = await awaitSecondPerson(tx, request, ids, decision)
    if (waiting) await saveWaiting(tx, request, claim, waiting)
    return waiting
  })
}

async function findEarlier({ org }: OverrideRequest, claim: IdempotencyClaim, { db }: Deps) {
  if (claim.idempotency_key === null) return undefined
  const { org_id } = org
  const earlier = await db.withTransaction({ org_id }, tx =>
    findEarlierRequest<SavedAnswer>(tx, org_id, claim),
  )
  refuseOtherContent(earlier?.request_sha256 ?? null, claim.request_sha256)
  return earlier
}

async function saveWaiting(
  tx: Db,
  { org, now }: OverrideRequest,
  claim: IdempotencyClaim,
  { body: waiting }: Accepted,
): Promise<void> {
  refuseOtherContent(await claimKey(tx, org.org_id, claim, now), claim.request_sha256)
  await saveAnswer(tx, org.org_id, claim, { waiting } satisfies SavedAnswer)
}
