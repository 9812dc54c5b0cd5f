// API schemas of environment notifications.
import { type Static, Type } from 'typebox'
import { TRIGGERS, type Trigger } from '../../domain/notification/notice.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import type { NotificationRow } from '../shared/notifications-store.ts'
import { NotificationName, RECORD_FIELDS, toWireRecord } from '../shared/notifications-wire.ts'
import { Pagination } from '../shared/page.ts'
import { TargetInputs } from '../shared/targets.ts'
import { about, Closed, Described, OneOf } from '../shared/wire.ts'

const MAX_NAME = 255
const MAX_ENVIRONMENTS = 100
const MAX_TRIGGERS = 100
const TYPE = 'env'

const EnvType = Type.Unsafe<typeof TYPE>({
  type: 'string',
  const: TYPE,
  default: TYPE,
  ...about('Always `env`: the notification is about environments', 'env'),
})
const Triggers = (options: { minItems?: number; maxItems?: number }) =>
  Type.Array(OneOf([...TRIGGERS]), options)

// A misplaced extra field may contain a secret of a target, so errors must not echo its value.
export const EnvironmentNotificationPut = Closed(
  'EnvironmentNotificationPut',
  {
    name: Described(NotificationName, 'Name of the notification', 'Production alarm'),
    type: Type.Optional(EnvType),
    environments: Type.Array(Type.String({ maxLength: MAX_NAME }), {
      minItems: 1,
      maxItems: MAX_ENVIRONMENTS,
      ...about('Names of environments', ['production']),
    }),
    triggers: Described(Triggers({ minItems: 1, maxItems: MAX_TRIGGERS }), 'Events that trigger a message', [
      'ON_NON_COMPLIANT_ENV',
    ]),
    targets: TargetInputs,
  },
  { writeOnly: true },
)
export type EnvironmentNotificationPut = Static<typeof EnvironmentNotificationPut>

export const EnvironmentNotification = Closed('EnvironmentNotification', {
  ...RECORD_FIELDS,
  type: EnvType,
  environments: Type.Array(
    Type.String(),
    about('Names of the environments; archived ones are left out', ['production']),
  ),
  triggers: Described(Triggers({}), 'Events that trigger a message', ['ON_NON_COMPLIANT_ENV']),
})
export type EnvironmentNotification = Static<typeof EnvironmentNotification>

export const EnvironmentNotificationPage = Closed('EnvironmentNotificationPage', {
  data: Type.Array(EnvironmentNotification, about('The items on this page')),
  pagination: Pagination,
})

/** A plain array, or an envelope if the caller asked for a page. */
export const EnvironmentNotificationList = Type.Unsafe<
  EnvironmentNotification[] | Static<typeof EnvironmentNotificationPage>
>({
  anyOf: [Type.Array(EnvironmentNotification), EnvironmentNotificationPage],
  title: 'EnvironmentNotificationList',
})

/** Only admins see full addresses. */
export function toWire(row: NotificationRow, role: Role, sealer: Sealer): EnvironmentNotification {
  return {
    ...toWireRecord(row, role, sealer),
    type: TYPE,
    environments: row.about,
    triggers: row.triggers as Trigger[],
  }
}
