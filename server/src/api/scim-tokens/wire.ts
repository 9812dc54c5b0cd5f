// SCIM tokens as the outside sees them. As with API keys, a time that never comes, or never came, is 0.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { toEpochOrZero } from '../keys/wire.ts'
import { Closed, EpochSeconds, toEpoch } from '../shared/wire.ts'
import type { TokenRow } from './store.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const LAST_EXPIRY = 4_102_444_800

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
      maximum: LAST_EXPIRY,
      description: 'When the token stops working, in seconds since 1970; 0, or left out: never',
    }),
  ),
})

const COMMON = {
  id: Type.String(),
  description: Type.String(),
  created_by: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
  hint: Type.String({ description: 'How the token begins, to tell tokens apart' }),
}

export const ScimToken = Closed('ScimToken', { ...COMMON, last_used_at: EpochSeconds })
export type ScimToken = Static<typeof ScimToken>

export const ScimTokenList = Type.Array(ScimToken, { title: 'ScimTokenList' })

export const CreatedScimToken = Closed('CreatedScimToken', {
  ...COMMON,
  token: Type.String({ description: 'The secret: shown here and never again' }),
  address: Type.String({ description: 'What the identity provider calls its base or tenant URL' }),
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
