// API schemas of service accounts.
import { type Static, Type } from 'typebox'
import { SERVICE_ACCOUNT_NAME, SERVICE_ACCOUNT_NAME_MAX } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { Closed, EpochSeconds, FreeText, Nullable, OneOf, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { AccountRow } from './store.ts'

const MAX_DISPLAY_NAME = 200

/** In the order that clients expect. */
const Privilege = OneOf(['admin', 'member', 'snapshotter', 'reader'], {
  description: 'Its role in the organization; at most the role of the caller who sets it',
})

export const ServiceAccountsPath = Closed('ServiceAccountsPath', { org: Type.String() })
export const ServiceAccountPath = Closed('ServiceAccountPath', { org: Type.String(), name: Type.String() })
export const ServiceAccountKeyPath = Closed('ServiceAccountKeyPath', {
  org: Type.String(),
  name: Type.String(),
  key_id: Type.String(),
})

const DisplayName = Type.String({
  maxLength: MAX_DISPLAY_NAME,
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
  description: 'The name shown to people, in one line; if empty, the name of the account',
})

const Owner = Nullable(
  Type.String({
    maxLength: 64,
    description:
      'Login name of the member who owns it; null for the organization. When the owner leaves, the keys stop after a grace ' +
      'period unless an admin sets another owner',
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
  creating_user_id: Type.String({ description: 'Empty if it was not created by a user' }),
  created_at: EpochSeconds,
  for_webhook: Type.Boolean(),
  owner: Owner,
  keys_stop_at: Nullable(
    Type.Number({ description: 'When its keys stop working because its owner left, in seconds since 1970' }),
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
