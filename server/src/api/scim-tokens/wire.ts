// API schemas of SCIM tokens. As with API keys, 0 means never.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { toEpochOrZero, toExpiry } from '../keys/wire.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import {
  AllowedAddresses,
  CreatedAt,
  CreatedBy,
  ExpiresAtOrZero,
  LastUsedAtOrZero,
  OrgName,
} from '../shared/fields.ts'
import { about, Closed, Nullable, toEpoch } from '../shared/wire.ts'
import { isInForce } from './owner.ts'
import type { TokenRow } from './store.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const MAX_EXPIRY = 4_102_444_800

export const ScimTokensPath = Closed('ScimTokensPath', { org: OrgName })
export const ScimTokenPath = Closed('ScimTokenPath', {
  org: OrgName,
  token_id: Type.String(about('Id of the token', EXAMPLE_ID)),
})

export const ScimTokenPost = Closed('ScimTokenPost', {
  description: Type.String({
    minLength: 1,
    maxLength: MAX_DESCRIPTION,
    ...about('The identity provider that uses the token', 'Builds and tests the backend'),
  }),
  expires_at: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_EXPIRY,
      ...about(
        'When the token expires, in seconds since 1970. 0 or omitted means the latest possible time: never, unless the ' +
          'organization has a maximum lifetime or the key that sends the request expires',
        EXAMPLE_TIME,
      ),
    }),
  ),
  allowed_addresses: Type.Optional(AllowedAddresses),
})

const COMMON = {
  id: Type.String(about('Id of the token; not secret', EXAMPLE_ID)),
  description: Type.String(about('Purpose of the token', 'The directory')),
  created_by: CreatedBy,
  created_at: CreatedAt,
  expires_at: ExpiresAtOrZero,
  hint: Type.String(about('The first characters of the token, to tell tokens apart', 'wb_user_0123')),
  owner: Nullable(
    Type.String(
      about('User or service account that answers for it; null for the organization itself', 'ada'),
    ),
  ),
  allowed_addresses: AllowedAddresses,
}

export const ScimToken = Closed('ScimToken', {
  ...COMMON,
  last_used_at: LastUsedAtOrZero,
  is_in_force: Type.Boolean(
    about('Whether it works: not while its owner is no admin. Any admin can adopt it then', true),
  ),
})
export type ScimToken = Static<typeof ScimToken>

export const ScimTokenList = Type.Array(ScimToken, { title: 'ScimTokenList' })

export const CreatedScimToken = Closed('CreatedScimToken', {
  ...COMMON,
  token: Type.String(about('The secret, shown only in this response', 'wb_scim_0123456789ab_secret')),
  address: Type.String(
    about('The SCIM base URL, also called tenant URL', 'https://waybill.example.com/scim/v2/acme'),
  ),
})

export function toWire(row: TokenRow): ScimToken {
  return {
    id: toWireId(row.token_id),
    description: row.description,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    expires_at: toExpiry(row.expires_at),
    last_used_at: toEpochOrZero(row.last_used_at),
    hint: row.hint,
    owner: row.owner_name,
    allowed_addresses: row.allowed_addresses ?? [],
    is_in_force: isInForce(row),
  }
}
