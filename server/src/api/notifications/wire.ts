// API schemas of notifications, about environments and about flows.
import { type Static, Type } from 'typebox'
import { FLOW_TRIGGERS, type FlowTrigger, TRIGGERS, type Trigger } from '../../domain/notification/notice.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { EXAMPLE_TIME } from '../shared/examples.ts'
import { CreatedAt, CreatedBy, LastModifiedAt, OrgName } from '../shared/fields.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { isFailing, TargetInputs, Targets, toWireTargets } from '../shared/targets.ts'
import { about, Closed, Described, Naming, OneOf, toEpoch } from '../shared/wire.ts'
import type { NotificationRow, NotificationType } from './store.ts'

const MAX_NAME = 255
const MAX_NUMBER = 2_147_483_647
const LISTED = { minItems: 1, maxItems: 100 }

export const NotificationsPath = Closed('NotificationsPath', { org: OrgName })
export const NotificationPath = Closed('NotificationPath', {
  org: OrgName,
  number: Type.Integer({
    minimum: 1,
    maximum: MAX_NUMBER,
    ...about('Number of the notification, starting at 1 in each organization', 1),
  }),
})

export const NotificationListQuery = Closed('NotificationListQuery', { page: Page, per_page: PerPage })

const NotificationName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  // One line, because it is used in mail subjects and headlines.
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
})

const Kind = <T extends NotificationType>(type: T, subjects: string) =>
  Type.Unsafe<T>({
    type: 'string',
    const: type,
    default: type,
    ...about(`Always \`${type}\`: the notification is about ${subjects}`, type),
  })
const EnvironmentKind = Kind('env', 'environments')
const FlowKind = Kind('flow', 'flows')

const Names = (kind: 'environment' | 'flow', example: string) =>
  Type.Array(Naming(kind, Type.String({ maxLength: MAX_NAME })), {
    ...LISTED,
    ...about(`Names of ${kind}s`, [example]),
  })

const Triggers = <T extends string>(triggers: readonly T[], example: T, options: Partial<typeof LISTED>) =>
  Described(Type.Array(OneOf([...triggers]), options), 'Events that trigger a message', [example])

// A misplaced extra field may contain a secret of a target, so errors must not echo its value.
export const EnvironmentNotificationPut = Closed(
  'EnvironmentNotificationPut',
  {
    name: Described(NotificationName, 'Name of the notification', 'Production alarm'),
    type: Type.Optional(EnvironmentKind),
    environments: Names('environment', 'production'),
    triggers: Triggers(TRIGGERS, 'ON_NON_COMPLIANT_ENV', LISTED),
    targets: TargetInputs,
  },
  { writeOnly: true },
)

export const FlowNotificationPut = Closed(
  'FlowNotificationPut',
  {
    name: Described(NotificationName, 'Name of the notification', 'Evidence for the backend'),
    type: Type.Optional(FlowKind),
    flows: Names('flow', 'backend-ci'),
    triggers: Triggers(FLOW_TRIGGERS, 'ON_ATTESTATION', LISTED),
    targets: TargetInputs,
  },
  { writeOnly: true },
)

export type NotificationPut = Static<typeof EnvironmentNotificationPut> | Static<typeof FlowNotificationPut>

/** The names of the environments or flows. */
export function getSubjectNames(body: NotificationPut): string[] {
  return 'flows' in body ? body.flows : body.environments
}

const RECORD_FIELDS = {
  name: Type.String(about('Name of the notification', 'Production alarm')),
  number: Type.Integer(about('Number of the notification, starting at 1 in each organization', 1)),
  targets: Targets,
  created_at: CreatedAt,
  created_by: CreatedBy,
  last_modified_at: LastModifiedAt,
  last_success_timestamp: Type.Number(
    about(
      'Time of the last successful delivery, in seconds since 1970-01-01T00:00:00Z; 0 if there is none yet',
      EXAMPLE_TIME,
    ),
  ),
  is_failing: Type.Boolean({ description: 'Whether at least one target is failing' }),
  is_created_from_chat_app: Type.Boolean(about('Whether it was created from a chat app', false)),
}

export const EnvironmentNotification = Closed('EnvironmentNotification', {
  ...RECORD_FIELDS,
  type: EnvironmentKind,
  environments: Type.Array(
    Type.String(),
    about('Names of the environments; archived ones are left out', ['production']),
  ),
  triggers: Triggers(TRIGGERS, 'ON_NON_COMPLIANT_ENV', {}),
})

export const FlowNotification = Closed('FlowNotification', {
  ...RECORD_FIELDS,
  type: FlowKind,
  flows: Type.Array(Type.String(), about('Names of the flows; archived ones are left out', ['backend-ci'])),
  triggers: Triggers(FLOW_TRIGGERS, 'ON_ATTESTATION', {}),
})

export type Notification = Static<typeof EnvironmentNotification> | Static<typeof FlowNotification>

/** A plain array, or an envelope if the caller requested a page. */
function ListOf(item: typeof EnvironmentNotification | typeof FlowNotification, name: string) {
  const page = Closed(`${name}Page`, {
    data: Type.Array(item, about('The items on this page')),
    pagination: Pagination,
  })
  return Type.Unsafe<Notification[] | { data: Notification[]; pagination: Static<typeof Pagination> }>({
    anyOf: [Type.Array(item), page],
    title: `${name}List`,
  })
}
export const EnvironmentNotificationList = ListOf(EnvironmentNotification, 'EnvironmentNotification')
export const FlowNotificationList = ListOf(FlowNotification, 'FlowNotification')

/** Only admins see full addresses. */
export function toWire(
  type: NotificationType,
  row: NotificationRow,
  role: Role,
  sealer: Sealer,
): Notification {
  const record = {
    name: row.name,
    number: row.number,
    targets: toWireTargets(row.targets, role, sealer),
    created_at: toEpoch(row.created_at),
    created_by: row.created_by,
    last_modified_at: toEpoch(row.last_modified_at),
    last_success_timestamp: row.last_success_at === null ? 0 : toEpoch(row.last_success_at),
    is_failing: row.targets.some(isFailing),
    is_created_from_chat_app: row.is_created_from_chat_app,
  }
  return type === 'flow'
    ? { ...record, type, flows: row.about, triggers: row.triggers as FlowTrigger[] }
    : { ...record, type, environments: row.about, triggers: row.triggers as Trigger[] }
}
