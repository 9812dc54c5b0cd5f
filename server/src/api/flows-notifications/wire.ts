// Flow notifications as the outside sees them.
import { type Static, Type } from 'typebox'
import { FLOW_TRIGGERS, type FlowTrigger } from '../../domain/notification/notice.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { NotificationName } from '../environments-notifications/wire.ts'
import { Pagination } from '../shared/page.ts'
import { isFailing, TargetInputs, Targets, targetsToWire } from '../shared/targets.ts'
import { Closed, EpochSeconds, OneOf, toEpoch } from '../shared/wire.ts'
import type { FlowNotificationRow } from './store.ts'

const MAX_FLOWS = 100
const MAX_TRIGGERS = 100
const MAX_NAME = 255
const TYPE = 'flow'

const FlowType = Type.Unsafe<typeof TYPE>({ type: 'string', const: TYPE, default: TYPE })
const Triggers = (options: { minItems?: number; maxItems?: number }) =>
  Type.Array(OneOf([...FLOW_TRIGGERS]), options)

// What somebody writes beside the targets by mistake may be one of their secrets, and is not repeated either.
export const FlowNotificationPut = Closed(
  'FlowNotificationPut',
  {
    name: NotificationName,
    type: Type.Optional(FlowType),
    flows: Type.Array(Type.String({ maxLength: MAX_NAME }), {
      minItems: 1,
      maxItems: MAX_FLOWS,
      description: 'Names of flows',
    }),
    triggers: Triggers({ minItems: 1, maxItems: MAX_TRIGGERS }),
    targets: TargetInputs,
  },
  { writeOnly: true },
)
export type FlowNotificationPut = Static<typeof FlowNotificationPut>

export const FlowNotification = Closed('FlowNotification', {
  name: Type.String(),
  number: Type.Integer(),
  type: FlowType,
  flows: Type.Array(Type.String(), { description: 'By their current names; archived ones are left out' }),
  triggers: Triggers({}),
  targets: Targets,
  created_at: EpochSeconds,
  created_by: Type.String(),
  last_modified_at: EpochSeconds,
  last_success_timestamp: Type.Number({
    description: 'When something last arrived, in seconds since 1970-01-01T00:00:00Z; 0 when nothing has yet',
  }),
  is_failing: Type.Boolean({ description: 'Whether one of the targets is' }),
  is_created_from_chat_app: Type.Boolean(),
})
export type FlowNotification = Static<typeof FlowNotification>

export const FlowNotificationPage = Closed('FlowNotificationPage', {
  data: Type.Array(FlowNotification),
  pagination: Pagination,
})

/** A plain array, or the envelope when a page was asked for. */
export const FlowNotificationList = Type.Unsafe<FlowNotification[] | Static<typeof FlowNotificationPage>>({
  anyOf: [Type.Array(FlowNotification), FlowNotificationPage],
  title: 'FlowNotificationList',
})

/** As somebody with this role sees it. */
export function toWire(row: FlowNotificationRow, role: Role, sealer: Sealer): FlowNotification {
  return {
    name: row.name,
    number: row.number,
    type: TYPE,
    flows: row.flows,
    triggers: row.triggers as FlowTrigger[],
    targets: targetsToWire(row.targets, role, sealer),
    created_at: toEpoch(row.created_at),
    created_by: row.created_by,
    last_modified_at: toEpoch(row.last_modified_at),
    last_success_timestamp: row.last_success_at === null ? 0 : toEpoch(row.last_success_at),
    is_failing: row.targets.some(isFailing),
    is_created_from_chat_app: row.is_created_from_chat_app,
  }
}
