// API schemas of SCIM tokens. As with API keys, 0 means never.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { toEpochOrZero } from '../keys/wire.ts'
import { Closed, EpochSeconds, toEpoch } from '../shared/wire.ts'
import type { TokenRow } from './store.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const MAX_EXPIRY = 4_102_444_800

export const ScimTokensPath = Closed('ScimTokensPath', { org: Type.String() })
export const ScimTokenPath = Closed('ScimTokenPath', { org: Type.String(), token_id: Type.String() })

export const ScimTokenPost = Closed('ScimTokenPost', {
  description: Type.String({
    minLength: 1,
    maxLength: MAX_DESCRIPTION,
    description: 'Which identity provider it is for',
  }),
  expires_at: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_EXPIRY,
      description: 'When the token expires, in seconds since 1970; 0 or omitted means never',
    }),
  ),
})

const COMMON = {
  id: Type.String(),
  description: Type.String(),
  created_by: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
  hint: Type.String({ description: 'The first characters of the token, to tell tokens apart' }),
}

export const ScimToken = Closed('ScimToken', { ...COMMON, last_used_at: EpochSeconds })
export type ScimToken = Static<typeof ScimToken>

export const ScimTokenList = Type.Array(ScimToken, { title: 'ScimTokenList' })

export const CreatedScimToken = Closed('CreatedScimToken', {
  ...COMMON,
  token: Type.String({ description: 'The secret, shown only in this response' }),
  address: Type.String({ description: 'The SCIM base URL, also called tenant URL' }),
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
