// API keys as the outside sees them, of people and of service accounts alike. Clients want numbers everywhere: a time that
// never comes, or never came, is 0.
import { type Static, Type } from 'typebox'
import { FAMILIES, type Family } from '../../domain/key-scope.ts'
import { invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { Closed, EpochSeconds, Nullable, OneOf, toEpoch } from '../shared/wire.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const LAST_EXPIRY = 4_102_444_800
const MAX_GRACE_HOURS = 720
export const USUAL_GRACE_HOURS = 24
const MS_PER_SECOND = 1000

const Expiry = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LAST_EXPIRY, description }))

const MOST_ADDRESSES = 100
const MOST_PLACES = 1000

/** Of keys and of organizations. */
export const AllowedAddresses = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: MOST_ADDRESSES,
  uniqueItems: true,
  description: 'Addresses and CIDR ranges from which it may be used; none means any',
})

const Operations = Type.Array(OneOf([...FAMILIES]), {
  minItems: 1,
  maxItems: FAMILIES.length,
  uniqueItems: true,
  description:
    'What the key may do, as far as the role of its owner allows: `read`; `report` trails, artifacts and what runs; ' +
    '`attest`; `administer`, which is everything else. Left out: everything',
})
const Names = (description: string) =>
  Type.Array(Type.String({ maxLength: 255 }), {
    minItems: 1,
    maxItems: MOST_PLACES,
    uniqueItems: true,
    description,
  })

const KEY_INPUT = {
  description: Type.String({ minLength: 1, maxLength: MAX_DESCRIPTION, description: 'What the key is for' }),
  expires_at: Expiry(
    'When the key stops working, in seconds since 1970; 0, or left out: as late as it may, which is never unless the ' +
      'organization has a maximum or the key that asks ends',
  ),
  operations: Type.Optional(Operations),
  allowed_addresses: Type.Optional(AllowedAddresses),
}

export const ApiKeyPost = Closed('ApiKeyPost', KEY_INPUT)
export type ApiKeyPost = Static<typeof ApiKeyPost>

export const AccountKeyPost = Closed('ServiceAccountApiKeyPost', {
  ...KEY_INPUT,
  flows: Type.Optional(Names('The only flows that the key is good for')),
  environments: Type.Optional(Names('The only environments that the key is good for')),
})
export type AccountKeyPost = Static<typeof AccountKeyPost>

export const ApiKeyRotate = Closed('ApiKeyRotate', {
  grace_period_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_GRACE_HOURS,
      description: `For how long the old key goes on working; ${USUAL_GRACE_HOURS} unless told`,
    }),
  ),
  expires_at: Expiry(
    'When the new key stops working; 0: as late as it may; left out: when the old one would have, if it may',
  ),
})
export type ApiKeyRotate = Static<typeof ApiKeyRotate>

export const ApiKey = Closed('ApiKey', {
  id: Type.String(),
  description: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
  last_used_at: EpochSeconds,
  last_used_from: Nullable(Type.String({ description: 'The address that it was last used from' })),
  hint: Type.String({ description: 'How the key begins, to tell keys apart' }),
  operations: Nullable(Operations),
  flows: Nullable(Names('The only flows that the key is good for; null for all')),
  environments: Nullable(Names('The only environments that the key is good for; null for all')),
  allowed_addresses: AllowedAddresses,
})
export type ApiKey = Static<typeof ApiKey>

const CREATED_KEY = {
  id: Type.String(),
  key: Type.String({ description: 'The secret: shown here and never again' }),
  description: Type.String(),
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
}

export const CreatedApiKey = Closed('CreatedApiKey', CREATED_KEY)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const RotatedApiKey = Closed('RotatedApiKey', {
  ...CREATED_KEY,
  grace_period_expires_at: EpochSeconds,
})
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
  last_used_from: string | null
  operations: string[] | null
  /** By their present names. */
  flows: string[] | null
  environments: string[] | null
  allowed_addresses: string[] | null
}

export function toWire(row: KeyRow): ApiKey {
  return {
    id: toWireId(row.key_id),
    description: row.description,
    created_at: toEpoch(row.created_at),
    expires_at: toEpochOrZero(row.expires_at),
    last_used_at: toEpochOrZero(row.last_used_at),
    last_used_from: row.last_used_from,
    hint: row.hint,
    operations: row.operations as Family[] | null,
    flows: row.flows,
    environments: row.environments,
    allowed_addresses: row.allowed_addresses ?? [],
  }
}

export function toEpochOrZero(moment: Date | null): number {
  return moment ? toEpoch(moment) : 0
}

/** Null when the key never expires, undefined when nothing was said. */
export function parseExpiry(seconds: number | undefined, now: Date): Date | null | undefined {
  if (seconds === undefined) return undefined
  if (seconds === 0) return null
  const expires_at = new Date(seconds * MS_PER_SECOND)
  if (expires_at <= now) throw invalid({ expires_at: `Input should be in the future [input: ${seconds}]` })
  return expires_at
}
