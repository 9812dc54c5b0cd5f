// API schemas of decisions waiting for a second person.
import { type Static, Type } from 'typebox'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { CreatedAt, OrgName } from '../shared/fields.ts'
import { about, Closed, Nullable, OneOf, Time, toEpoch } from '../shared/wire.ts'
import type { DecisionRow } from './store.ts'

export const DecisionsPath = Closed('DecisionsPath', { org: OrgName })
export const DecisionPath = Closed('DecisionPath', {
  org: OrgName,
  decision_id: Type.String(about('Id of the decision', EXAMPLE_ID)),
})

const LapsedRequest = Closed('LapsedRequest', {
  id: Type.String(about('Id of the earlier decision', EXAMPLE_ID)),
  asked_by: Type.String(about('The person who requested it', 'mia')),
  reason: Type.String(about('Reason given by that person', 'A false alarm')),
  lapse_reason: Type.String(
    about('Why that request no longer counts', "'scan' was reported or overridden since"),
  ),
})

export const WaitingDecision = Closed('WaitingDecision', {
  id: Type.String(about('Id of the decision', EXAMPLE_ID)),
  kind: OneOf(
    ['override', 'allow'],
    about('Type of the decision: an override, or an allow-list entry', 'override'),
  ),
  subject: Type.Record(Type.String(), Type.Unknown(), {
    title: 'DecisionSubject',
    ...about('Subject of the decision. A second person confirms it by sending the same request', {
      flow_name: 'backend-ci',
      trail_name: 'release-7',
      attestation_name: 'scan',
      artifact_fingerprint: null,
      target_artifacts: [],
      original_attestation_type: 'snyk',
      new_compliance_status: true,
    }),
  }),
  reason: Type.String(about('Reason given by the first person', 'A false alarm')),
  asked_by: Type.String(about('The person who requested the decision', 'mia')),
  created_at: CreatedAt,
  expires_at: Time('Time when the request expires'),
  lapsed_request: Nullable(LapsedRequest, {
    description:
      'The earlier request for the same decision that lapsed when this one was sent, because something it was based ' +
      'on had changed; null if there is none',
  }),
})
export type WaitingDecision = Static<typeof WaitingDecision>

export const WaitingDecisionList = Type.Array(WaitingDecision, { title: 'WaitingDecisionList' })

/** Both persons of a decision that needed two, with their reasons. */
export const ConfirmedDecision = Closed(
  'ConfirmedDecision',
  {
    decision_id: Type.String(about('Id of the decision', EXAMPLE_ID)),
    asked_by: Type.String(about('The person who requested the decision', 'mia')),
    asked_at: Time('Time of the request'),
    asked_reason: Type.String(about('Reason given by the first person', 'A false alarm')),
    confirmed_by: Type.String(about('The person who confirmed the decision', 'ada')),
    confirmed_at: Time('Time of the confirmation'),
    confirmed_reason: Type.String(about('Reason given by the second person', 'Checked: not in the image')),
  },
  about('Both persons of a decision that two made, with their reasons; only for such decisions'),
)
export type ConfirmedDecision = Static<typeof ConfirmedDecision>

export function toWire(row: DecisionRow): WaitingDecision {
  return {
    id: toWireId(row.decision_id),
    kind: row.kind === 'allow' ? 'allow' : 'override',
    subject: row.subject,
    reason: row.reason,
    asked_by: row.asked_by,
    created_at: toEpoch(row.created_at),
    expires_at: toEpoch(row.expires_at),
    lapsed_request: toLapsedRequest(row),
  }
}

function toLapsedRequest({ replaces, lapsed_asked_by, lapsed_reason, lapse_reason }: DecisionRow) {
  if (replaces === null || lapse_reason === null) return null
  return {
    id: toWireId(replaces),
    asked_by: lapsed_asked_by ?? '',
    reason: lapsed_reason ?? '',
    lapse_reason,
  }
}

/** Maps a malformed id to the nil UUID, which matches no decision. */
export function toDecisionId({ decision_id }: { decision_id: string }): string {
  return parseWireId(decision_id) ?? '00000000-0000-0000-0000-000000000000'
}
