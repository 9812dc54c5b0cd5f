// API schemas of decisions waiting for a second person.
import { type Static, Type } from 'typebox'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { Closed, EpochSeconds, OneOf, toEpoch } from '../shared/wire.ts'
import type { DecisionRow } from './store.ts'

export const DecisionsPath = Closed('DecisionsPath', { org: Type.String() })
export const DecisionPath = Closed('DecisionPath', { org: Type.String(), decision_id: Type.String() })

export const WaitingDecision = Closed('WaitingDecision', {
  id: Type.String(),
  kind: OneOf(['override', 'allow']),
  subject: Type.Record(Type.String(), Type.Unknown(), {
    title: 'DecisionSubject',
    description: 'What the decision is about. A second person confirms it by sending the same request',
  }),
  reason: Type.String(),
  asked_by: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
})
export type WaitingDecision = Static<typeof WaitingDecision>

export const WaitingDecisionList = Type.Array(WaitingDecision, { title: 'WaitingDecisionList' })

export function toWire(row: DecisionRow): WaitingDecision {
  return {
    id: toWireId(row.decision_id),
    kind: row.kind === 'allow' ? 'allow' : 'override',
    subject: row.subject,
    reason: row.reason,
    asked_by: row.asked_by,
    created_at: toEpoch(row.created_at),
    expires_at: toEpoch(row.expires_at),
  }
}

/** Maps a malformed id to the nil UUID, which matches no decision. */
export function toDecisionId({ decision_id }: { decision_id: string }): string {
  return parseWireId(decision_id) ?? '00000000-0000-0000-0000-000000000000'
}
