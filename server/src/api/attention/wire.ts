// API schemas of what needs attention in an organization.
import { type Static, Type } from 'typebox'
import { EXPIRING_DECISION_DAYS } from '../../domain/control/expiring.ts'
import { assert } from '../../lib/assert.ts'
import { toWireId } from '../../lib/ids.ts'
import { Attestation } from '../attestations/wire.ts'
import { WaitingDecisionList } from '../decisions/wire.ts'
import type { NotificationRow } from '../notifications/store.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { FlowName, TrailName } from '../shared/fields.ts'
import { isFailing } from '../shared/targets.ts'
import { about, Closed, Described, Nullable, OneOf, Time, toEpoch } from '../shared/wire.ts'
import { type ExpiringDecisionRow, MAX_ENVIRONMENTS } from './expiring-decisions-store.ts'
import type { ExpiringKeyRow } from './store.ts'

/** Keys that expire within so many days need attention. */
export const SOON_DAYS = 30
export const MAX_UNBOUND = 5
export const MAX_EXPIRING_SHOWN = 20
export const MAX_EXPIRING_EXAMINED = 1000

const ExpiringKey = Closed('ExpiringKey', {
  account: Type.String(about('Name of the service account', 'build-server')),
  id: Type.String(about('Id of the key; not secret', EXAMPLE_ID)),
  description: Type.String(about('Purpose of the key', 'Nightly build')),
  hint: Type.String(about('The beginning of the key, to tell keys apart', 'wb_svc_0123')),
  expires_at: Time('Time when the key expires'),
})
export type ExpiringKey = Static<typeof ExpiringKey>

const ExpiringDecision = Closed('ExpiringDecision', {
  id: Type.String(about('Id of the decision, which is an attestation', EXAMPLE_ID)),
  control: Nullable(Type.String(), about('Identifier of the control', 'SDLC-7')),
  attestation_name: Type.String(about('Name of the attestation', 'four-eyes')),
  flow_name: FlowName,
  trail_name: TrailName,
  artifact_fingerprint: Nullable(
    Type.String(),
    about('Fingerprint of the artifact that it is about; null for the whole trail', null),
  ),
  artifact_name: Nullable(Type.String(), about('Name of that artifact; null for the whole trail', null)),
  decided_by: Type.String(about('Who decided', 'mia')),
  decided_at: Time('Time of the decision'),
  expires_at: Time('Time from which the decision no longer counts'),
  environments: Type.Array(Type.String(), {
    description: `The environments in which something runs by it, at most ${MAX_ENVIRONMENTS}`,
    examples: [['production']],
  }),
})
export type ExpiringDecision = Static<typeof ExpiringDecision>

const FailingTarget = Closed('FailingTarget', {
  number: Type.Integer(about('Number of the notification', 3)),
  name: Type.String(about('Name of the notification', 'production')),
  about: OneOf(['environments', 'flows'], about('What the notification is about', 'environments')),
  last_error: Nullable(Type.String(about('Why the last delivery failed', 'HTTP 500'))),
  last_failure_at: Nullable(Time('Time of the last failed delivery')),
})
export type FailingTarget = Static<typeof FailingTarget>

export const Attention = Closed('Attention', {
  decisions: Described(WaitingDecisionList, 'Decisions that wait for a second person, newest first'),
  unbound_attestations: Type.Array(Attestation, {
    description: `The newest attestations whose artifact has not been reported yet, at most ${MAX_UNBOUND}`,
  }),
  notification_count: Type.Integer(about('Number of notifications', 2)),
  failing_targets: Type.Array(FailingTarget, { description: 'Targets whose last delivery failed' }),
  expiring_keys: Nullable(
    Type.Array(ExpiringKey, {
      description: `Keys of service accounts that expire within ${SOON_DAYS} days, soonest first; null for a caller who may not see service accounts`,
    }),
  ),
  expiring_decisions: Type.Array(ExpiringDecision, {
    description: `Decisions on controls that expire within ${EXPIRING_DECISION_DAYS} days and by which something runs now, soonest first, at most ${MAX_EXPIRING_SHOWN}`,
  }),
  expiring_decision_count: Type.Integer(
    about(
      `Number of such decisions; of those that expire in the period, the first ${MAX_EXPIRING_EXAMINED.toLocaleString('en')} are examined`,
      1,
    ),
  ),
})
export type Attention = Static<typeof Attention>

export function toFailingTargets(
  subject: FailingTarget['about'],
  rows: readonly NotificationRow[],
): FailingTarget[] {
  return rows.flatMap(({ number, name, targets }) =>
    targets.filter(isFailing).map(({ last_error, last_failure_at }) => ({
      number,
      name,
      about: subject,
      last_error,
      last_failure_at,
    })),
  )
}

export function toWireKey({ account, key_id, description, hint, expires_at }: ExpiringKeyRow): ExpiringKey {
  assert(expires_at !== null, 'a key that expires soon has a time')
  return { account, id: toWireId(key_id), description, hint, expires_at: toEpoch(expires_at) }
}

export function toWireExpiring(row: ExpiringDecisionRow): ExpiringDecision {
  return {
    id: toWireId(row.attestation_id),
    control: row.control,
    attestation_name: row.attestation_name,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    artifact_fingerprint: row.artifact_fingerprint,
    artifact_name: row.artifact_name,
    decided_by: row.reported_by,
    decided_at: toEpoch(row.created_at),
    expires_at: toEpoch(row.expires_at),
    environments: row.environments,
  }
}
