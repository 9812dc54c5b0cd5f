// API keys as the outside sees them, of people and of service accounts alike. Clients want numbers everywhere: a time that
// never comes, or never came, is 0.
import { type Static, Type } from 'typebox'
import { invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { Closed, EpochSeconds, toEpoch } from '../shared/wire.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const LAST_EXPIRY = 4_102_444_800
const MAX_GRACE_HOURS = 720
export const USUAL_GRACE_HOURS = 24
const MS_PER_SECOND = 1000

const Expiry = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LAST_EXPIRY, description }))

export const ApiKeyPost = Closed('ApiKeyPost', {
  description: Type.String({ minLength: 1, maxLength: MAX_DESCRIPTION, description: 'What the key is for' }),
  expires_at: Expiry('When the key stops working, in seconds since 1970; 0, or left out: never'),
})
export type ApiKeyPost = Static<typeof ApiKeyPost>

export const ApiKeyRotate = Closed('ApiKeyRotate', {
  grace_period_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_GRACE_HOURS,
      description: `For how long the old key goes on working; ${USUAL_GRACE_HOURS} unless told`,
    }),
  ),
  expires_at: Expiry('When the new key stops working; 0: never; left out: when the old one would have'),
})
export type ApiKeyRotate = Static<typeof ApiKeyRotate>

export const ApiKey = Closed('ApiKey', {
  id: Type.String(),
  description: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
  last_used_at: EpochSeconds,
  hint: Type.String({ description: 'How the key begins, to tell keys apart' }),
})
export type ApiKey = Static<typeof ApiKey>

const MADE = {
  id: Type.String(),
  key: Type.String({ description: 'The secret: shown here and never again' }),
  description: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
}

export const CreatedApiKey = Closed('CreatedApiKey', MADE)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const RotatedApiKey = Closed('RotatedApiKey', { ...MADE, grace_period_expires_at: EpochSeconds })
export type RotatedApiKey = Static<typeof RotatedApiKey>

/** What taking a key back answers. */
export const REVOKED = 'revoked' as const
export const Revoked = Type.Unsafe<typeof REVOKED>({ type: 'string', const: REVOKED, title: 'Revoked' })

export const OwnKeyPath = Closed('OwnKeyPath', { key_id: Type.String() })

/** A stored key without its secret, which nobody has. */
export interface KeyRow {
  key_id: string
  hint: string
  description: string
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
}

export function toWire(row: KeyRow): ApiKey {
  return {
    id: toWireId(row.key_id),
    description: row.description,
    created_at: toEpoch(row.created_at),
    expires_at: toEpochOrZero(row.expires_at),
    last_used_at: toEpochOrZero(row.last_used_at),
    hint: row.hint,
  }
}

export function toEpochOrZero(moment: Date | null): number {
  return moment ? toEpoch(moment) : 0
}

/** Null when the key never expires, undefined when nothing was said. */
export function expiryIn(seconds: number | undefined, now: Date): Date | null | undefined {
  if (seconds === undefined) return undefined
  if (seconds === 0) return null
  const expires_at = new Date(seconds * MS_PER_SECOND)
  if (expires_at <= now) throw invalid({ expires_at: `Input should be in the future [input: ${seconds}]` })
  return expires_at
}
