// Decisions that need two people: the first request waits until another person sends the same request.
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { forbidden } from '../../lib/errors.ts'
import { type Ids, toWireId } from '../../lib/ids.ts'
import { Accepted, type Caller, type CallerOrg } from '../operation.ts'
import * as store from './store.ts'
import { toWire } from './wire.ts'

const DECISION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

export interface DecisionContext {
  readonly caller: Caller
  readonly org: CallerOrg
  readonly now: Date
  readonly request_id: string
}

export interface Decision {
  kind: 'override' | 'allow'
  /** Identifies the decision; the reason is not part of it. */
  subject: store.Subject
  reason: string
}

export function needsTwoPersons({ settings }: CallerOrg, kind: Decision['kind']): boolean {
  return settings.two_person_decisions?.includes(kind) ?? false
}

/**
 * Call it in a transaction scoped to the org. Returns the response for the first person, or undefined if the caller is
 * the second one and the decision takes effect.
 */
export async function awaitSecondPerson(
  tx: Db,
  context: DecisionContext,
  ids: Ids,
  { kind, subject, reason }: Decision,
): Promise<Accepted | undefined> {
  const { org, caller, now } = context
  const { org_id } = org
  if (caller.kind !== 'user') {
    throw forbidden(
      'This organization requires two people to make this decision; a service account cannot make it',
    )
  }
  const same = await store.lockSameDecision(tx, org_id, { kind, subject })
  if (same && same.expires_at > now) {
    if (same.asked_by_id === caller.id) return new Accepted(toWire(same))
    const { decision_id, asked_by } = same
    await store.closeDecision(tx, org_id, { decision_id, closed_by: caller.name, outcome: 'confirmed', now })
    const data = {
      decision_id: toWireId(decision_id),
      decision: kind,
      subject,
      asked_by,
      reason: same.reason,
    }
    await recordEvent(tx, context, ids, { kind: 'decision_confirmed', data })
    return undefined
  }
  if (same) {
    const expired = { decision_id: same.decision_id, closed_by: 'waybill', outcome: null, now }
    await store.closeDecision(tx, org_id, expired)
  }
  const requested = {
    decision_id: ids.next(),
    kind,
    subject,
    reason,
    asked_by: caller.name,
    asked_by_id: caller.id,
    created_at: now,
    expires_at: new Date(now.getTime() + DECISION_LIFETIME_MS),
  }
  await store.insertDecision(tx, org_id, requested)
  const data = { decision_id: toWireId(requested.decision_id), decision: kind, subject, reason }
  await recordEvent(tx, context, ids, { kind: 'decision_asked', data })
  return new Accepted(toWire(requested))
}
