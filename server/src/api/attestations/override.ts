// Overrides in organizations that require two people: an override waits until a second person sends the same one.

import { awaitSecondPerson, needsTwoPersons } from '../decisions/two-persons.ts'
import { noSuchFlow } from '../flows/problems.ts'
import type { Accepted, Deps } from '../operation.ts'
import { listOwnNames, requireDecider } from '../shared/duties.ts'
import { findOverridden } from '../shared/duties-store.ts'
import { noSuchTrail } from '../trails/problems.ts'
import type { CommonBody } from './bodies.ts'
import { type AttestationRequest, ownWork } from './report.ts'

export interface OverrideRequest extends AttestationRequest {
  body: CommonBody & {
    reason?: unknown
    new_compliance_status?: unknown
    original_attestation_type?: unknown
  }
}

/** Undefined when the override takes effect now. An override that would fail is neither requested nor confirmed. */
export async function awaitOverride(
  request: OverrideRequest,
  { db, ids }: Deps,
): Promise<Accepted | undefined> {
  const { org, params, body, caller } = request
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
  return db.withTransaction({ org_id: org.org_id }, tx => awaitSecondPerson(tx, request, ids, decision))
}
