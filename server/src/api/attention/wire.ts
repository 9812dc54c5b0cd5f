// API schemas of what needs attention in an organization.
import { type Static, Type } from 'typebox'
import { assert } from '../../lib/assert.ts'
import { toWireId } from '../../lib/ids.ts'
import { Attestation } from '../attestations/wire.ts'
import { WaitingDecisionList } from '../decisions/wire.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import type { NotificationRow } from '../shared/notifications-store.ts'
import { isFailing } from '../shared/targets.ts'
import { about, Closed, Described, Nullable, OneOf, Time, toEpoch } from '../shared/wire.ts'
import type { ExpiringKeyRow } from './store.ts'

/** Keys that expire within so many days need attention. */
export const SOON_DAYS = 30
export const MAX_UNBOUND = 5

const ExpiringKey = Closed('ExpiringKey', {
  account: Type.String(about('Name of the service account', 'build-server')),
  id: Type.String(about('Id of the key; not secret', EXAMPLE_ID)),
  description: Type.String(about('Purpose of the key', 'Nightly build')),
  hint: Type.String(about('The beginning of the key, to tell keys apart', 'wb_svc_0123')),
  expires_at: Time('Time when the key expires'),
})
export type ExpiringKey = Static<typeof ExpiringKey>

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
