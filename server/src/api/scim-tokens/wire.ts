// API schemas of SCIM tokens. As with API keys, 0 means never.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { toEpochOrZero } from '../keys/wire.ts'
import { CreatedAt, CreatedBy, OrgName } from '../shared/fields.ts'
import { about, Closed, Time, toEpoch } from '../shared/wire.ts'
import type { TokenRow } from './store.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const MAX_EXPIRY = 4_102_444_800

export const ScimTokensPath = Closed('ScimTokensPath', { org: OrgName })
export const ScimTokenPath = Closed('ScimTokenPath', {
  org: OrgName,
  token_id: Type.String(about('Id of the token', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d')),
})

export const ScimTokenPost = Closed('ScimTokenPost', {
  description: Type.String({
    minLength: 1,
    maxLength: MAX_DESCRIPTION,
    description: 'Which identity provider it is for',
    examples: ['Builds and tests the backend'],
  }),
  expires_at: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_EXPIRY,
      description: 'When the token expires, in seconds since 1970; 0 or omitted means never',
      examples: [1_772_539_200],
    }),
  ),
})

const COMMON = {
  id: Type.String(about('Id of the token; not secret', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d')),
  description: Type.String(about('Purpose of the token', 'The directory')),
  created_by: CreatedBy,
  created_at: CreatedAt,
  expires_at: Time('Time of expiry; 0 means never'),
  hint: Type.String({
    description: 'The first characters of the token, to tell tokens apart',
    examples: ['wb_user_0123'],
  }),
}

export const ScimToken = Closed('ScimToken', {
  ...COMMON,
  last_used_at: Time('Time of the last use; 0 means never'),
})
export type ScimToken = Static<typeof ScimToken>

export const ScimTokenList = Type.Array(ScimToken, { title: 'ScimTokenList' })

export const CreatedScimToken = Closed('CreatedScimToken', {
  ...COMMON,
  token: Type.String({
    description: 'The secret, shown only in this response',
    examples: ['wb_scim_0123456789ab_secret'],
  }),
  address: Type.String({
    description: 'The SCIM base URL, also called tenant URL',
    examples: ['https://waybill.example.com/scim/v2/acme'],
  }),
})

export function toWire(row: TokenRow): ScimToken {
  return {
    id: toWireId(row.token_id),
    description: row.description,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    expires_at: toEpochOrZero(row.expires_at),
    last_used_at: toEpochOrZero(row.last_used_at),
    hint: row.hint,
  }
}
