// API schemas of the keys of people and service accounts. Existing clients expect a number for every time, so 0 means
// never.
import { type Static, Type } from 'typebox'
import { FAMILIES, type Family } from '../../domain/key-scope.ts'
import { invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import { AllowedAddresses, CreatedAt, ExpiresAtOrZero, KeyId, LastUsedAtOrZero } from '../shared/fields.ts'
import {
  about,
  Closed,
  Naming,
  Nullable,
  OneOf,
  toEpoch,
  toWholeSeconds,
  WholeSeconds,
} from '../shared/wire.ts'

const MAX_DESCRIPTION = 256
/** 2100-01-01. */
const LAST_EXPIRY = 4_102_444_800
const MAX_GRACE_HOURS = 720
export const DEFAULT_GRACE_HOURS = 24
const MS_PER_SECOND = 1000

const Expiry = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LAST_EXPIRY, ...about(description, EXAMPLE_TIME) }))

const MAX_RESOURCES = 1000

const Operations = Type.Array(OneOf([...FAMILIES]), {
  minItems: 1,
  maxItems: FAMILIES.length,
  uniqueItems: true,
  description:
    'Operations that the key may perform, within the role of its owner: `read`; `report` trails, artifacts and running artifacts; ' +
    '`attest`; `administer`, which is everything else. Omit to allow everything',
})
const Names = (kind: 'environment' | 'flow', description: string, example: string) =>
  Type.Array(Naming(kind, Type.String({ maxLength: 255 })), {
    minItems: 1,
    maxItems: MAX_RESOURCES,
    uniqueItems: true,
    ...about(description, [example]),
  })

const KEY_INPUT = {
  description: Type.String({
    minLength: 1,
    maxLength: MAX_DESCRIPTION,
    ...about('Purpose of the key', 'Builds and tests the backend'),
  }),
  expires_at: Expiry(
    'When the key expires, in epoch seconds. 0 or omitted means the latest possible time: never, unless the ' +
      'organization has a maximum lifetime or the key that sends the request expires',
  ),
  operations: Type.Optional(Operations),
  allowed_addresses: Type.Optional(AllowedAddresses),
}

export const ApiKeyPost = Closed('ApiKeyPost', KEY_INPUT)
export type ApiKeyPost = Static<typeof ApiKeyPost>

export const AccountKeyPost = Closed('ServiceAccountApiKeyPost', {
  ...KEY_INPUT,
  flows: Type.Optional(Names('flow', 'The only flows that the key can access', 'backend-ci')),
  environments: Type.Optional(
    Names('environment', 'The only environments that the key can access', 'production'),
  ),
})
export type AccountKeyPost = Static<typeof AccountKeyPost>

export const ApiKeyRotate = Closed('ApiKeyRotate', {
  grace_period_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_GRACE_HOURS,
      description: `Hours for which the old key keeps working; defaults to ${DEFAULT_GRACE_HOURS}`,
    }),
  ),
  expires_at: Expiry(
    'When the new key expires, in epoch seconds. 0 means the latest possible time; omit it to keep the old expiry',
  ),
})
export type ApiKeyRotate = Static<typeof ApiKeyRotate>

export const ApiKey = Closed('ApiKey', {
  id: Type.String(about('Id of the key; not secret', EXAMPLE_ID)),
  description: Type.String(about('Purpose of the key', 'Nightly build')),
  created_at: CreatedAt,
  expires_at: ExpiresAtOrZero,
  stops_at: WholeSeconds(
    'When it stops working: when it expires, or earlier if the owner of its service account has left; 0 means never',
  ),
  last_used_at: LastUsedAtOrZero,
  last_used_from: Nullable(Type.String(about('IP address from which it was last used', '192.0.2.7'))),
  hint: Type.String(about('The beginning of the key, to tell keys apart', 'wb_user_0123')),
  operations: Nullable(Operations, { examples: [['read', 'attest']] }),
  flows: Nullable(Names('flow', 'The only flows that the key can access; null means all', 'backend-ci')),
  environments: Nullable(
    Names('environment', 'The only environments that the key can access; null means all', 'production'),
  ),
  allowed_addresses: AllowedAddresses,
})
export type ApiKey = Static<typeof ApiKey>

const CREATED_KEY = {
  id: Type.String(about('Id of the key; not secret', EXAMPLE_ID)),
  key: Type.String(about('The secret; shown only here', 'wb_user_0123456789ab_secret')),
  description: Type.String(about('Purpose of the key', 'Nightly build')),
  created_at: CreatedAt,
  expires_at: ExpiresAtOrZero,
}

export const CreatedApiKey = Closed('CreatedApiKey', CREATED_KEY)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const RotatedApiKey = Closed('RotatedApiKey', {
  ...CREATED_KEY,
  grace_period_expires_at: WholeSeconds('Time when the old key stops working'),
})
export type RotatedApiKey = Static<typeof RotatedApiKey>

/** The response to revoking a key. */
export const REVOKED = 'revoked' as const
export const Revoked = Type.Unsafe<typeof REVOKED>({ type: 'string', const: REVOKED, title: 'Revoked' })

export const OwnKeyPath = Closed('OwnKeyPath', {
  key_id: KeyId,
})

/** A stored key. The secret itself is not stored. */
export interface KeyRow {
  key_id: string
  hint: string
  description: string
  created_at: Date
  expires_at: Date | null
  /** Not after `expires_at`. */
  stops_at: Date | null
  last_used_at: Date | null
  last_used_from: string | null
  operations: string[] | null
  /** Current names. */
  flows: string[] | null
  environments: string[] | null
  allowed_addresses: string[] | null
}

export function toWire(row: KeyRow): ApiKey {
  return {
    id: toWireId(row.key_id),
    description: row.description,
    created_at: toEpoch(row.created_at),
    expires_at: toExpiry(row.expires_at),
    stops_at: toExpiry(row.stops_at),
    last_used_at: toEpochOrZero(row.last_used_at),
    last_used_from: row.last_used_from,
    hint: row.hint,
    operations: row.operations as Family[] | null,
    flows: row.flows,
    environments: row.environments,
    allowed_addresses: row.allowed_addresses ?? [],
  }
}

export function toEpochOrZero(time: Date | null): number {
  return time ? toEpoch(time) : 0
}

export function toExpiry(time: Date | null): number {
  return time ? toWholeSeconds(time) : 0
}

/** Null means never; undefined means that the request has no expiry. */
export function parseExpiry(seconds: number | undefined, now: Date): Date | null | undefined {
  if (seconds === undefined) return undefined
  if (seconds === 0) return null
  const expires_at = new Date(seconds * MS_PER_SECOND)
  if (expires_at <= now) throw invalid({ expires_at: `Input should be in the future [input: ${seconds}]` })
  return expires_at
}
