// Environment notifications as the outside sees them.
import { type Static, Type } from 'typebox'
import { TRIGGERS, type Trigger } from '../../domain/notification/notice.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import type { NotificationRow } from '../shared/notifications-store.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { isFailing, TargetInputs, Targets, targetsToWire } from '../shared/targets.ts'
import { Closed, EpochSeconds, OneOf, toEpoch } from '../shared/wire.ts'

const MAX_NAME = 255
const MAX_ENVIRONMENTS = 100
const MAX_TRIGGERS = 100
const MAX_NUMBER = 2_147_483_647
const TYPE = 'env'

const EnvType = Type.Unsafe<typeof TYPE>({ type: 'string', const: TYPE, default: TYPE })
const Triggers = (options: { minItems?: number; maxItems?: number }) =>
  Type.Array(OneOf([...TRIGGERS]), options)

export const NotificationsPath = Closed('NotificationsPath', { org: Type.String() })
export const NotificationPath = Closed('NotificationPath', {
  org: Type.String(),
  number: Type.Integer({ minimum: 1, maximum: MAX_NUMBER }),
})

export const NotificationListQuery = Closed('NotificationListQuery', { page: Page, per_page: PerPage })

export const NotificationName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  // One line: it becomes part of subjects and headlines.
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
})

// What somebody writes beside the targets by mistake may be one of their secrets, and is not repeated either.
export const EnvironmentNotificationPut = Closed(
  'EnvironmentNotificationPut',
  {
    name: NotificationName,
    type: Type.Optional(EnvType),
    environments: Type.Array(Type.String({ maxLength: MAX_NAME }), {
      minItems: 1,
      maxItems: MAX_ENVIRONMENTS,
      description: 'Names of environments',
    }),
    triggers: Triggers({ minItems: 1, maxItems: MAX_TRIGGERS }),
    targets: TargetInputs,
  },
  { writeOnly: true },
)
export type EnvironmentNotificationPut = Static<typeof EnvironmentNotificationPut>

/** What a notification about anything has. */
export const RECORD_FIELDS = {
  name: Type.String(),
  number: Type.Integer(),
  targets: Targets,
  created_at: EpochSeconds,
  created_by: Type.String(),
  last_modified_at: EpochSeconds,
  last_success_timestamp: Type.Number({
    description: 'When something last arrived, in seconds since 1970-01-01T00:00:00Z; 0 when nothing has yet',
  }),
  is_failing: Type.Boolean({ description: 'Whether one of the targets is' }),
  is_created_from_chat_app: Type.Boolean(),
}

export const EnvironmentNotification = Closed('EnvironmentNotification', {
  ...RECORD_FIELDS,
  type: EnvType,
  environments: Type.Array(Type.String(), {
    description: 'By their current names; archived ones are left out',
  }),
  triggers: Triggers({}),
})
export type EnvironmentNotification = Static<typeof EnvironmentNotification>

export const EnvironmentNotificationPage = Closed('EnvironmentNotificationPage', {
  data: Type.Array(EnvironmentNotification),
  pagination: Pagination,
})

/** A plain array, or the envelope when a page was asked for. */
export const EnvironmentNotificationList = Type.Unsafe<
  EnvironmentNotification[] | Static<typeof EnvironmentNotificationPage>
>({
  anyOf: [Type.Array(EnvironmentNotification), EnvironmentNotificationPage],
  title: 'EnvironmentNotificationList',
})

/** As somebody with this role sees it. */
export function toWire(row: NotificationRow, role: Role, sealer: Sealer): EnvironmentNotification {
  return {
    ...recordToWire(row, role, sealer),
    type: TYPE,
    environments: row.about,
    triggers: row.triggers as Trigger[],
  }
}

/** What is said of a notification about anything. */
export function recordToWire(
  row: NotificationRow,
  role: Role,
  sealer: Sealer,
): Omit<EnvironmentNotification, 'type' | 'environments' | 'triggers'> {
  return {
    name: row.name,
    number: row.number,
    targets: targetsToWire(row.targets, role, sealer),
    created_at: toEpoch(row.created_at),
    created_by: row.created_by,
    last_modified_at: toEpoch(row.last_modified_at),
    last_success_timestamp: row.last_success_at === null ? 0 : toEpoch(row.last_success_at),
    is_failing: row.targets.some(isFailing),
    is_created_from_chat_app: row.is_created_from_chat_app,
  }
}
