// API schemas of flow notifications.
import { type Static, Type } from 'typebox'
import { FLOW_TRIGGERS, type FlowTrigger } from '../../domain/notification/notice.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import type { NotificationRow } from '../shared/notifications-store.ts'
import { NotificationName, RECORD_FIELDS, toWireRecord } from '../shared/notifications-wire.ts'
import { Pagination } from '../shared/page.ts'
import { TargetInputs } from '../shared/targets.ts'
import { about, Closed, Described, OneOf } from '../shared/wire.ts'

const MAX_FLOWS = 100
const MAX_TRIGGERS = 100
const MAX_NAME = 255
const TYPE = 'flow'

const FlowType = Type.Unsafe<typeof TYPE>({
  type: 'string',
  const: TYPE,
  default: TYPE,
  ...about('Always `flow`: the notification is about flows', 'flow'),
})
const Triggers = (options: { minItems?: number; maxItems?: number }) =>
  Type.Array(OneOf([...FLOW_TRIGGERS]), options)

// A misplaced extra field may contain a secret of a target, so errors must not echo its value.
export const FlowNotificationPut = Closed(
  'FlowNotificationPut',
  {
    name: Described(NotificationName, 'Name of the notification', 'Evidence for the backend'),
    type: Type.Optional(FlowType),
    flows: Type.Array(Type.String({ maxLength: MAX_NAME }), {
      minItems: 1,
      maxItems: MAX_FLOWS,
      ...about('Names of flows', ['backend-ci']),
    }),
    triggers: Described(Triggers({ minItems: 1, maxItems: MAX_TRIGGERS }), 'Events that trigger a message', [
      'ON_ATTESTATION',
    ]),
    targets: TargetInputs,
  },
  { writeOnly: true },
)
export type FlowNotificationPut = Static<typeof FlowNotificationPut>

export const FlowNotification = Closed('FlowNotification', {
  ...RECORD_FIELDS,
  type: FlowType,
  flows: Type.Array(Type.String(), about('Names of the flows; archived ones are left out', ['backend-ci'])),
  triggers: Described(Triggers({}), 'Events that trigger a message', ['ON_ATTESTATION']),
})
export type FlowNotification = Static<typeof FlowNotification>

export const FlowNotificationPage = Closed('FlowNotificationPage', {
  data: Type.Array(FlowNotification, about('The items on this page')),
  pagination: Pagination,
})

/** A plain array, or an envelope if the caller asked for a page. */
export const FlowNotificationList = Type.Unsafe<FlowNotification[] | Static<typeof FlowNotificationPage>>({
  anyOf: [Type.Array(FlowNotification), FlowNotificationPage],
  title: 'FlowNotificationList',
})

/** Only admins see full addresses. */
export function toWire(row: NotificationRow, role: Role, sealer: Sealer): FlowNotification {
  return {
    ...toWireRecord(row, role, sealer),
    type: TYPE,
    flows: row.about,
    triggers: row.triggers as FlowTrigger[],
  }
}
