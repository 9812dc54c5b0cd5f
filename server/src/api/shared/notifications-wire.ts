// The API schemas that notifications of both kinds share.
import { Type } from 'typebox'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { EXAMPLE_TIME } from './examples.ts'
import { CreatedAt, CreatedBy, LastModifiedAt, OrgName } from './fields.ts'
import type { NotificationRow } from './notifications-store.ts'
import { Page, PerPage } from './page.ts'
import { isFailing, Targets, toWireTargets } from './targets.ts'
import { about, Closed, toEpoch } from './wire.ts'

const MAX_NAME = 255
const MAX_NUMBER = 2_147_483_647

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

export const NotificationName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  // One line, because it is used in mail subjects and headlines.
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
})

/** The fields that both kinds have. */
export const RECORD_FIELDS = {
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

export function toWireRecord(row: NotificationRow, role: Role, sealer: Sealer) {
  return {
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
}
