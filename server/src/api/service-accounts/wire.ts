// API schemas of service accounts.
import { type Static, Type } from 'typebox'
import { decideAccountRole } from '../../domain/credential-role.ts'
import { SERVICE_ACCOUNT_NAME, SERVICE_ACCOUNT_NAME_MAX } from '../../domain/names.ts'
import { isRole, type Role } from '../../domain/roles.ts'
import { toWireId } from '../../lib/ids.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { CreatedAt, KeyId, OrgName } from '../shared/fields.ts'
import {
  about,
  Closed,
  Described,
  FreeText,
  Nullable,
  OneOf,
  toEpoch,
  toEpochOrNull,
} from '../shared/wire.ts'
import type { AccountRow } from './store.ts'

const MAX_DISPLAY_NAME = 200

/** In the order that clients expect. */
const PRIVILEGES = ['admin', 'member', 'snapshotter', 'auditor', 'reader'] as const
const Privilege = OneOf(
  [...PRIVILEGES],
  about('Its role in the organization; at most the role of the caller who sets it', 'snapshotter'),
)

export const ServiceAccountsPath = Closed('ServiceAccountsPath', { org: OrgName })
export const ServiceAccountPath = Closed('ServiceAccountPath', {
  org: OrgName,
  name: Type.String(about('Name of the service account', 'build-server')),
})
export const ServiceAccountKeyPath = Closed('ServiceAccountKeyPath', {
  org: OrgName,
  name: Type.String(about('Name of the service account', 'build-server')),
  key_id: KeyId,
})

const DisplayName = Type.String({
  maxLength: MAX_DISPLAY_NAME,
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
  ...about('The name shown to people, in one line; if empty, the name of the account', 'Build server'),
})

const Owner = Nullable(
  Type.String({
    maxLength: 64,
    ...about(
      'Login name of the member who owns it; null for the organization. When the owner leaves, the keys stop after a grace ' +
        'period unless an admin sets another owner',
      'mia',
    ),
  }),
)

export const ServiceAccountPost = Closed('ServiceAccountPost', {
  name: Type.String({
    pattern: SERVICE_ACCOUNT_NAME,
    minLength: 1,
    maxLength: SERVICE_ACCOUNT_NAME_MAX,
    ...about('Name of the service account', 'build-server'),
  }),
  display_name: Type.Optional(DisplayName),
  description: Type.Optional(Described(FreeText, 'Purpose of the service account', 'Reports what is built')),
  privilege: Type.Optional(Privilege),
  owner: Type.Optional(Owner),
})

export const ServiceAccountPatch = Closed('ServiceAccountPatch', {
  display_name: Type.Optional(Nullable(DisplayName, { examples: ['Build server'] })),
  description: Type.Optional(
    Nullable(FreeText, about('Purpose of the service account', 'Reports what is built')),
  ),
  privilege: Type.Optional(Privilege),
  owner: Type.Optional(Owner),
})

export const ServiceAccount = Closed('ServiceAccount', {
  name: Type.String(about('Name of the service account', 'build-server')),
  display_name: Type.String(about('The name shown to people', 'Build server')),
  privilege: Privilege,
  acts_as: OneOf(
    [...PRIVILEGES],
    about(
      "The role that it acts with now: its `privilege`, or its owner's role if that is less; after the owner has left, " +
        'at most `member`',
      'snapshotter',
    ),
  ),
  description: Type.String(about('Purpose of the service account', 'Reports what is built')),
  creating_user_id: Type.String(about('Id of the user who created it; empty if no user did', EXAMPLE_ID)),
  created_at: CreatedAt,
  for_webhook: Type.Boolean(about('Whether it was created for a webhook', false)),
  owner: Owner,
  keys_stop_at: Nullable(
    Type.Number({ description: 'When its keys stop working because its owner left, in seconds since 1970' }),
    { examples: [null] },
  ),
})
export type ServiceAccount = Static<typeof ServiceAccount>

export function toWire(row: AccountRow): ServiceAccount {
  return {
    name: row.name,
    display_name: row.display_name,
    privilege: row.privilege as ServiceAccount['privilege'],
    acts_as: decidePresentRole(row),
    description: row.description,
    creating_user_id: row.creating_user_id === null ? '' : toWireId(row.creating_user_id),
    created_at: toEpoch(row.created_at),
    for_webhook: row.for_webhook,
    owner: row.owner_name,
    keys_stop_at: toEpochOrNull(row.keys_stop_at),
  }
}

function decidePresentRole({ privilege, owner_user_id, owner_role, keys_stop_at }: AccountRow): Role {
  const role = owner_role !== null && isRole(owner_role) ? owner_role : null
  const owner = owner_user_id === null ? null : { role, has_left: keys_stop_at !== null }
  return decideAccountRole(privilege as Role, owner)
}
