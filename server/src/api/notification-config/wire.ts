// API schemas of the configuration of notifications that the service raises itself.
import { type Static, Type } from 'typebox'
import { FIRST_NOTICE_DAYS, LAST_NOTICE_DAYS } from '../../domain/notification/key-expiry.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { OrgName } from '../shared/fields.ts'
import { TargetInputs, Targets, toWireTargets } from '../shared/targets.ts'
import { about, Closed, Nullable, OneOf, Time, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { ConfigRow } from './store.ts'

const NOTIFICATION_TYPES = ['api_key_expiry'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

const NotificationType = OneOf(
  [...NOTIFICATION_TYPES],
  about('Type of the account notification', 'api_key_expiry'),
)

export const NotificationConfigPath = Closed('NotificationConfigPath', {
  org: OrgName,
  notification_type: NotificationType,
})

// Errors must not repeat unknown fields either: a misplaced field may contain the secret of a target.
export const NotificationConfigPut = Closed(
  'NotificationConfigPut',
  { targets: TargetInputs },
  { writeOnly: true },
)

const DETECTION: Readonly<Record<NotificationType, Record<string, unknown>>> = {
  api_key_expiry: { first_notice_days: FIRST_NOTICE_DAYS, last_notice_days: LAST_NOTICE_DAYS },
}

export const NotificationConfigResponse = Closed('NotificationConfigResponse', {
  notification_type: NotificationType,
  scope: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...about('Scope of the setting; null means the whole organization', null),
  }),
  targets: Type.Unsafe<Static<typeof Targets>>({
    ...Targets,
    description:
      'Empty if none are configured; then the default recipients apply, which depend on what each notification is about',
  }),
  detection: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('The conditions that raise a notification', DETECTION.api_key_expiry),
  ),
  last_notified_at: Nullable(Time('Time of the last message; null means never')),
  last_failure: Nullable(
    Closed(
      'NotificationFailure',
      {
        failed_at: Time('Time of the failure'),
        error: Type.String(about('The error', 'The target answered 500')),
      },
      { description: 'The latest failed delivery, unless a later one succeeded' },
    ),
    { examples: [null] },
  ),
})

/** `role` decides how much of the addresses is shown. */
export function toWire(
  notification_type: NotificationType,
  { targets, last_notified_at, last_failed_at, last_error }: ConfigRow,
  role: Role,
  sealer: Sealer,
): Static<typeof NotificationConfigResponse> {
  const isLatest = last_failed_at !== null && (last_notified_at === null || last_failed_at > last_notified_at)
  return {
    notification_type,
    scope: null,
    targets: toWireTargets(targets, role, sealer),
    detection: DETECTION[notification_type],
    last_notified_at: toEpochOrNull(last_notified_at),
    last_failure: isLatest ? { failed_at: toEpoch(last_failed_at), error: last_error ?? '' } : null,
  }
}
