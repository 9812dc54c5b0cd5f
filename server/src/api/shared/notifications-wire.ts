// The API schemas that notifications of both kinds share.
import { Type } from 'typebox'
import type { Role } from '../../domain/roles.ts'
import type { Sealer } from '../../lib/sealer.ts'
import type { NotificationRow } from './notifications-store.ts'
import { Page, PerPage } from './page.ts'
import { isFailing, Targets, toWireTargets } from './targets.ts'
import { Closed, EpochSeconds, toEpoch } from './wire.ts'

const MAX_NAME = 255
const MAX_NUMBER = 2_147_483_647

export const NotificationsPath = Closed('NotificationsPath', { org: Type.String() })
export const NotificationPath = Closed('NotificationPath', {
  org: Type.String(),
  number: Type.Integer({ minimum: 1, maximum: MAX_NUMBER }),
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
  name: Type.String(),
  number: Type.Integer(),
  targets: Targets,
  created_at: EpochSeconds,
  created_by: Type.String(),
  last_modified_at: EpochSeconds,
  last_success_timestamp: Type.Number({
    description:
      'Time of the last successful delivery, in seconds since 1970-01-01T00:00:00Z; 0 if there is none yet',
  }),
  is_failing: Type.Boolean({ description: 'Whether at least one target is failing' }),
  is_created_from_chat_app: Type.Boolean(),
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
