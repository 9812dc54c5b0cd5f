// Decisions that need two people: the first request waits until another person sends the same request, about the same
// things and on the same basis.
import type { Db } from '../../db/database.ts'
import { type DecisionBasis, findLapse, type SubjectIds } from '../../domain/decision-basis.ts'
import { isRole } from '../../domain/roles.ts'
import { recordEvent } from '../../events/record.ts'
import { forbidden } from '../../lib/errors.ts'
import { type Ids, toWireId } from '../../lib/ids.ts'
import { Accepted, type Caller, type CallerOrg } from '../operation.ts'
import { toEpoch } from '../shared/wire.ts'
import * as store from './store.ts'
import { type ConfirmedDecision, toWire } from './wire.ts'

const DECISION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

export interface DecisionContext {
  readonly caller: Caller
  readonly org: CallerOrg
  readonly now: Date
  readonly request_id: string
}

export interface Decision {
  kind: 'override' | 'allow'
  /** The decision as people read it, without the reason. */
  subject: store.Subject
  subject_ids: SubjectIds
  basis: DecisionBasis
  reason: string
  /** The id of the allow-list entry or attestation, if the decision takes effect now. */
  result_id: string
  /** False if one person suffices, and only a request of another person may be open. */
  needs_two: boolean
}

/**
 * Call it in a transaction scoped to the org that has locked what the decision is about. Returns the response for the
 * first person, or both persons if the caller is the second one, or undefined if the caller decides alone.
 */
export async function awaitSecondPerson(
  tx: Db,
  context: DecisionContext,
  ids: Ids,
  decision: Decision,
): Promise<Accepted | ConfirmedDecision | undefined> {
  const { org, caller, now } = context
  if (decision.needs_two && caller.kind !== 'user') {
    throw forbidden(
      'This organization requires two people to make this decision; a service account cannot make it',
    )
  }
  let lapsed: LapsedRequest | undefined
  for (const same of await store.lockSameDecisions(tx, org.org_id, decision)) {
    const { decision_id } = same
    if (same.expires_at <= now) {
      const expired = { decision_id, closed_by: 'waybill', outcome: null, now }
      await store.closeDecision(tx, org.org_id, expired)
      continue
    }
    const lapse_reason = await findLapseReason(tx, context, same, decision)
    if (lapse_reason !== undefined) {
      await closeLapsed(tx, context, ids, { same, lapse_reason })
      lapsed ??= { ...same, lapse_reason }
    } else if (caller.kind === 'user' && same.asked_by_id !== caller.id) {
      return confirm(tx, context, ids, { same, decision })
    } else if (decision.needs_two) return new Accepted(toWire(same))
  }
  return decision.needs_two ? ask(tx, context, ids, { decision, lapsed }) : undefined
}

type LapsedRequest = store.SameDecision & { lapse_reason: string }

async function findLapseReason(
  tx: Db,
  { org }: DecisionContext,
  same: store.SameDecision,
  { kind, subject_ids, basis }: Decision,
): Promise<string | undefined> {
  const { role, groups } = await store.findFirstPerson(tx, org.org_id, same.asked_by_id)
  const known_role = role !== null && isRole(role) ? role : null
  return findLapse(
    { name: same.asked_by, role: known_role, groups },
    { first: same, now: { subject_ids, basis }, duties: org.settings, decision: kind },
  )
}

async function closeLapsed(
  tx: Db,
  context: DecisionContext,
  ids: Ids,
  { same, lapse_reason }: { same: store.SameDecision; lapse_reason: string },
): Promise<void> {
  const { decision_id, kind, subject, asked_by, reason } = same
  const { org, caller, now } = context
  await store.closeDecision(tx, org.org_id, {
    decision_id,
    closed_by: caller.name,
    outcome: 'lapsed',
    lapse_reason,
    now,
  })
  const request = { decision_id: toWireId(decision_id), decision: kind, subject, asked_by, reason }
  await recordEvent(tx, context, ids, { kind: 'decision_lapsed', data: { ...request, lapse_reason } })
}

async function confirm(
  tx: Db,
  context: DecisionContext,
  ids: Ids,
  { same, decision }: { same: store.SameDecision; decision: Decision },
): Promise<ConfirmedDecision> {
  const { org, caller, now } = context
  const { decision_id, asked_by, reason, subject } = same
  const { kind, result_id } = decision
  await store.closeDecision(tx, org.org_id, {
    decision_id,
    closed_by: caller.name,
    outcome: 'confirmed',
    result_id,
    now,
  })
  const data = {
    decision_id: toWireId(decision_id),
    decision: kind,
    subject,
    asked_by,
    asked_at: toEpoch(same.created_at),
    reason,
    confirmed_reason: decision.reason,
  }
  await recordEvent(tx, context, ids, { kind: 'decision_confirmed', data })
  return {
    decision_id: data.decision_id,
    asked_by,
    asked_at: data.asked_at,
    asked_reason: reason,
    confirmed_by: caller.name,
    confirmed_at: toEpoch(now),
    confirmed_reason: decision.reason,
  }
}

async function ask(
  tx: Db,
  context: DecisionContext,
  ids: Ids,
  { decision, lapsed }: { decision: Decision; lapsed: LapsedRequest | undefined },
): Promise<Accepted> {
  const { org, caller, now } = context
  const { kind, subject, subject_ids, basis, reason } = decision
  const requested = {
    decision_id: ids.next(),
    kind,
    subject,
    subject_ids,
    basis,
    reason,
    asked_by: caller.name,
    asked_by_id: caller.id,
    created_at: now,
    expires_at: new Date(now.getTime() + DECISION_LIFETIME_MS),
    replaces: lapsed?.decision_id ?? null,
  }
  await store.insertDecision(tx, org.org_id, requested)
  const data = { decision_id: toWireId(requested.decision_id), decision: kind, subject, reason }
  await recordEvent(tx, context, ids, { kind: 'decision_asked', data })
  return new Accepted(
    toWire({
      ...requested,
      lapsed_asked_by: lapsed?.asked_by ?? null,
      lapsed_reason: lapsed?.reason ?? null,
      lapse_reason: lapsed?.lapse_reason ?? null,
    }),
  )
}
