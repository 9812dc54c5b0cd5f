// Overrides in organizations where some need two people: such an override waits until a second person sends the same
// one. One transaction confirms it and stores it, so a confirmed override is never lost.

import { type Db, readPipelineIn } from '../../db/database.ts'
import { assert } from '../../lib/assert.ts'
import { awaitSecondPerson } from '../decisions/two-persons.ts'
import type { ConfirmedDecision } from '../decisions/wire.ts'
import { Accepted, type Deps } from '../operation.ts'
import {
  canNeedTwoPersons,
  listOwnNames,
  listRefusedNames,
  needsSecondPerson,
  requireDecider,
} from '../shared/duties.ts'
import { refuseOtherContent } from '../shared/idempotency.ts'
import {
  claimKey,
  findEarlierRequest,
  type IdempotencyClaim,
  saveAnswer,
} from '../shared/idempotency-store.ts'
import { type AttestationOutcome, buildAttestationPipeline } from './batcher.ts'
import type { CommonBody } from './bodies.ts'
import { buildAttestationClaim } from './repeat.ts'
import {
  type AttestationEvaluation,
  type AttestationRequest,
  buildItem,
  refuseUnboundTarget,
  refuseUnstored,
} from './report.ts'
import type { ReportedAttestation } from './report-store.ts'

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

/**
 * The id of the stored override, or the decision that waits for a second person. Undefined if no override of the
 * organization needs one. An override that would fail is neither requested nor confirmed.
 */
export async function decideOverride(
  request: OverrideRequest,
  evaluation: AttestationEvaluation,
  deps: Deps,
): Promise<Accepted | string | null | undefined> {
  const { org } = request
  const { db, ids } = deps
  const { org_id } = org
  const claim = buildAttestationClaim(request)
  const earlier = await findEarlier(request, claim, deps)
  // An override that took effect is found again where it is stored.
  if (earlier) return earlier.answer?.waiting === undefined ? undefined : new Accepted(earlier.answer.waiting)
  if (!canNeedTwoPersons(org, 'override')) return undefined
  refuseUnboundTarget(request.body)
  await requireDecider(db, request, 'override')
  const own_names = await listOwnNames(db, request)
  const item = { ...buildItem(request, evaluation, deps), own_names: listRefusedNames(org, own_names) }
  return db.withTransaction({ org_id }, async tx => {
    const build = (reported: ReportedAttestation) => buildAttestationPipeline(ids, org_id, [reported])
    const rows = await readPipelineIn(tx, build(item))
    const [found] = build(item).decide(rows).outcome
    assert(found, 'every item has an outcome')
    refuseUnstored(request, item, found)
    if (found.answered_sha256 !== null) return readAnswer(await findEarlierRequest(tx, org_id, claim), found)
    const decided = await awaitSecond(tx, request, deps, {
      item,
      found,
      own_names,
    })
    if (decided instanceof Accepted) {
      await saveWaiting(tx, request, claim, decided)
      return decided
    }
    await tx.runSteps(build(addPersons(item, decided)).decide(rows).writes)
    return item.attestation_id
  })
}

/** The same request was answered while this one waited for the trail. */
function readAnswer(
  earlier: { answer: SavedAnswer | null } | undefined,
  { attestation_id }: AttestationOutcome,
): Accepted | string | null {
  return earlier?.answer?.waiting === undefined ? attestation_id : new Accepted(earlier.answer.waiting)
}

interface FoundOverride {
  item: ReportedAttestation
  found: AttestationOutcome
  own_names: string[]
}

/** The trail is locked, so nothing is reported on it until the end of the transaction. */
async function awaitSecond(
  tx: Db,
  request: OverrideRequest,
  { ids }: Deps,
  { item, found, own_names }: FoundOverride,
): Promise<Accepted | ConfirmedDecision | undefined> {
  const { org, params, body } = request
  const { flow_name, trail_name } = params
  const { attestation_name, artifact_fingerprint = null, target_artifacts = [] } = body
  const { new_compliance_status, original_attestation_type } = body
  const target = { attestation_name, artifact_fingerprint, target_artifacts }
  const becomes = { original_attestation_type, new_compliance_status }
  const { flow_id, trail_id, replaces } = found
  // The commit decides which artifacts are meant only if they are named and not identified.
  const git_commit = item.target_artifacts.length > 0 ? item.git_commit : null
  return awaitSecondPerson(tx, request, ids, {
    kind: 'override',
    subject: { flow_name, trail_name, ...target, ...becomes },
    subject_ids: { flow_id, trail_id, ...target, git_commit, ...becomes },
    basis: { kind: 'override', attestation_name, replaces },
    reason: String(body.reason),
    result_id: item.attestation_id,
    needs_two: await needsSecondPerson(tx, org, {
      kind: 'override',
      environment_id: null,
      own_names,
      is_permissive: new_compliance_status === true,
    }),
  })
}

function addPersons(
  item: ReportedAttestation,
  confirmed_decision: ConfirmedDecision | undefined,
): ReportedAttestation {
  return confirmed_decision ? { ...item, report: { ...item.report, confirmed_decision } } : item
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
