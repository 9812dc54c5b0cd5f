// Service accounts as the outside sees them.
import { type Static, Type } from 'typebox'
import { SERVICE_ACCOUNT_NAME, SERVICE_ACCOUNT_NAME_MAX } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { Closed, EpochSeconds, FreeText, Nullable, OneOf, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { AccountRow } from './store.ts'

const MAX_DISPLAY_NAME = 200

/** In the order in which clients know them. */
const Privilege = OneOf(['admin', 'member', 'snapshotter', 'reader'], {
  description: 'What it may do in its organization; never more than whoever gives it',
})

export const ServiceAccountsPath = Closed('ServiceAccountsPath', { org: Type.String() })
export const ServiceAccountPath = Closed('ServiceAccountPath', { org: Type.String(), name: Type.String() })
export const ServiceAccountKeyPath = Closed('ServiceAccountKeyPath', {
  org: Type.String(),
  name: Type.String(),
  key_id: Type.String(),
})

/** One line, for people. */
const DisplayName = Type.String({
  maxLength: MAX_DISPLAY_NAME,
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
  description: 'The name that people are shown; the name of the account when it is empty',
})

const Owner = Nullable(
  Type.String({
    maxLength: 64,
    description:
      'The login name of the member who is responsible for it; null for the organization. When they leave, the keys stop ' +
      'after a grace unless an admin chooses another owner',
  }),
)

export const ServiceAccountPost = Closed('ServiceAccountPost', {
  name: Type.String({ pattern: SERVICE_ACCOUNT_NAME, minLength: 1, maxLength: SERVICE_ACCOUNT_NAME_MAX }),
  display_name: Type.Optional(DisplayName),
  description: Type.Optional(FreeText),
  privilege: Type.Optional(Privilege),
  owner: Type.Optional(Owner),
})

export const ServiceAccountPatch = Closed('ServiceAccountPatch', {
  display_name: Type.Optional(Nullable(DisplayName)),
  description: Type.Optional(Nullable(FreeText)),
  privilege: Type.Optional(Privilege),
  owner: Type.Optional(Owner),
})

export const ServiceAccount = Closed('ServiceAccount', {
  name: Type.String(),
  display_name: Type.String(),
  privilege: Privilege,
  description: Type.String(),
  creating_user_id: Type.String({ description: 'Empty when it was not a user who created it' }),
  created_at: EpochSeconds,
  for_webhook: Type.Boolean(),
  owner: Owner,
  keys_stop_at: Nullable(
    Type.Number({ description: 'When its keys stop because its owner has left, in seconds since 1970' }),
  ),
})
export type ServiceAccount = Static<typeof ServiceAccount>

export function toWire(row: AccountRow): ServiceAccount {
  return {
    name: row.name,
    display_name: row.display_name,
    privilege: row.privilege as ServiceAccount['privilege'],
    description: row.description,
    creating_user_id: row.creating_user_id === null ? '' : toWireId(row.creating_user_id),
    created_at: toEpoch(row.created_at),
    for_webhook: row.for_webhook,
    owner: row.owner_name,
    keys_stop_at: toEpochOrNull(row.keys_stop_at),
  }
}
