// Creates, rotates and revokes API keys of people and of service accounts. The caller opens the transaction, provides
// the statements as a `KeyRing`, and records the returned event.
import type { Db } from '../../db/database.ts'
import { computeLatestExpiry, computeRotation, pickEarlier } from '../../domain/api-key.ts'
import { isWithinLimits } from '../../domain/key-scope.ts'
import type { EventInput } from '../../events/record.ts'
import { forbidden, invalid } from '../../lib/errors.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import type { KeyKind } from '../../lib/secrets.ts'
import type { Caller, Deps } from '../operation.ts'
import { areWithinAddresses, checkAddresses } from '../shared/allowed-addresses.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { toEpoch, toWholeSeconds } from '../shared/wire.ts'
import { alreadyRotated, noSuchKey, secretWasShown } from './problems.ts'
import { type KeyLimitation, type NewKeyRow, NO_LIMITATION } from './store.ts'
import {
  type ApiKeyPost,
  type ApiKeyRotate,
  type CreatedApiKey,
  DEFAULT_GRACE_HOURS,
  type KeyRow,
  parseExpiry,
  type RotatedApiKey,
  toExpiry,
} from './wire.ts'

/** The keys of one owner, in one transaction. */
export interface KeyRing {
  owner_name: string
  kind: KeyKind
  add(key: NewKeyRow): Promise<void>
  /** Locks a key until the end of the transaction. Undefined unless it is active. */
  lock(key_id: string): Promise<LockedKey | undefined>
  replace(old: { key_id: string; replaced_by: string; expires_at: Date }): Promise<void>
  /** Undefined if the key was no longer active. */
  revoke(key_id: string): Promise<StoredKey | undefined>
}

type StoredKey = Pick<KeyRow, 'key_id' | 'hint' | 'description' | 'expires_at'>

interface HasLimits {
  limits: KeyLimitation
}

/** A key with its limits, which a rotation passes on to the new key. */
interface LockedKey extends StoredKey {
  limits: KeyLimitation
  /** The key that it was rotated to. */
  replaced_by: string | null
}

interface KeyChange<T> {
  answer: T
  event: EventInput
}

type Tools = Pick<Deps, 'ids' | 'secrets'>

export interface KeyInput extends ApiKeyPost {
  scope?: Pick<KeyLimitation, 'flow_ids' | 'environment_ids'>
}

export async function addKey(
  ring: KeyRing,
  requested: KeyInput,
  bounds: KeyBounds,
  tools: Tools,
): Promise<KeyChange<CreatedApiKey>> {
  const { description, operations, scope } = requested
  const { now } = bounds
  const expires_at = limitExpiry(parseExpiry(requested.expires_at, now) ?? null, bounds, requested.expires_at)
  const limits: KeyLimitation = {
    ...NO_LIMITATION,
    ...scope,
    operations: operations ?? null,
    allowed_addresses: checkAddresses(requested.allowed_addresses, 'allowed_addresses'),
  }
  refuseWider(limits, bounds.caller)
  const made = await mint(ring, { description, expires_at, now, limits }, tools)
  return { answer: made.answer, event: { kind: 'api_key_created', data: summarizeKey(ring, made.row) } }
}

/** Limits of a new key. */
export interface KeyBounds {
  now: Date
  /** The creator of the key. */
  caller: Pick<Caller, 'credential' | 'key_expires_at' | 'scope' | 'allowed_addresses'>
  /** Set by the organization that the key is for; null for no maximum. */
  max_lifetime_days: number | null
}

/** A key cannot create a credential that outlives it; a browser session can. */
export function limitExpiry(
  requested: Date | null,
  bounds: KeyBounds,
  sent: number | undefined,
): Date | null {
  const { now, caller, max_lifetime_days } = bounds
  const asking_key_expires_at = caller.credential === 'key' ? caller.key_expires_at : null
  const latest = computeLatestExpiry({ now, max_lifetime_days, asking_key_expires_at })
  if (requested === null || latest === null || requested <= latest) return requested ?? latest
  throw invalid({
    expires_at: `Input should be at most ${toWholeSeconds(latest)}, ${describeExpiryLimit(latest, bounds)} [input: ${sent}]`,
  })
}

function describeExpiryLimit(latest: Date, { caller, max_lifetime_days }: KeyBounds): string {
  return caller.credential === 'key' && caller.key_expires_at?.getTime() === latest.getTime()
    ? 'when the key that creates it expires'
    : `${max_lifetime_days} days from now, the longest lifetime that the organization allows`
}

/** A limited key must not create a key with wider limits. */
function refuseWider(requested: KeyLimitation, { scope, allowed_addresses }: KeyBounds['caller']): void {
  if (
    !isWithinLimits(scope, requested) ||
    !areWithinAddresses(requested.allowed_addresses, allowed_addresses)
  ) {
    throw forbidden('A key with limits can only create keys with the same or narrower limits')
  }
}

/** The old key keeps working for the grace period. A rotation that fails leaves no trace. */
export async function rotateKey(
  ring: KeyRing,
  wire_id: string,
  { grace_period_hours = DEFAULT_GRACE_HOURS, expires_at }: ApiKeyRotate,
  bounds: KeyBounds,
  tools: Tools,
): Promise<KeyChange<RotatedApiKey>> {
  const { now } = bounds
  const requested = { now, grace_period_hours, expires_at: parseExpiry(expires_at, now) }
  const key_id = parseWireId(wire_id)
  const old = key_id === undefined ? undefined : await ring.lock(key_id)
  if (!old) throw noSuchKey()
  if (old.replaced_by !== null) throw alreadyRotated(toWireId(old.replaced_by))
  const times = computeRotation(old.expires_at, requested)
  const { description, limits } = old
  refuseWider(limits, bounds.caller)
  // An inherited expiry is shortened to the allowed maximum; a requested expiry beyond the maximum is rejected.
  const bounded =
    expires_at === undefined ? pickEarlier(times.expires_at, limitExpiry(null, bounds, 0)) : null
  const ends_at = bounded ?? limitExpiry(times.expires_at, bounds, expires_at)
  const made = await mint(ring, { description, expires_at: ends_at, now, limits }, tools)
  const replaced_by = made.row.key_id
  await ring.replace({ key_id: old.key_id, replaced_by, expires_at: times.grace_period_expires_at })
  const grace_period_expires_at = toWholeSeconds(times.grace_period_expires_at)
  const replaced = { replaced_key_id: toWireId(old.key_id), replaced_hint: old.hint }
  const data = { ...summarizeKey(ring, made.row), ...replaced, grace_period_expires_at }
  return {
    answer: { ...made.answer, grace_period_expires_at },
    event: { kind: 'api_key_rotated', data, row_ids: { key: [replaced_by, old.key_id] } },
  }
}

export async function revokeKey(ring: KeyRing, wire_id: string): Promise<EventInput> {
  const key_id = parseWireId(wire_id)
  const revoked = key_id === undefined ? undefined : await ring.revoke(key_id)
  if (!revoked) throw noSuchKey()
  return { kind: 'api_key_revoked', data: summarizeKey(ring, revoked) }
}

interface SecretRequest {
  params: unknown
  body: unknown
  caller: { id: string }
  operation_id: string
  idempotency_key: string | undefined
  now: Date
}

/** A retry cannot return the secret again, because the secret is not stored. */
export async function refuseRetry(tx: Db, org_id: string, request: SecretRequest): Promise<void> {
  const idempotency = buildIdempotencyClaim(request)
  const answered_sha256 = await claimKey(tx, org_id, idempotency, request.now)
  refuseOtherContent(answered_sha256, idempotency.request_sha256)
  if (answered_sha256 !== null) throw secretWasShown()
}

/** The details of a key for the audit log: never the secret. */
function summarizeKey(
  ring: { owner_name: string },
  key: Pick<KeyRow, 'key_id' | 'hint' | 'description' | 'expires_at'>,
) {
  const { hint, description } = key
  const expires_at = toExpiry(key.expires_at)
  return { owner: ring.owner_name, key_id: toWireId(key.key_id), hint, description, expires_at }
}

async function mint(
  ring: KeyRing,
  { description, expires_at, now, limits }: Pick<NewKeyRow, 'description' | 'expires_at' | 'now'> & HasLimits,
  { ids, secrets }: Tools,
): Promise<{ answer: CreatedApiKey; row: NewKeyRow }> {
  const { key, secret_hash, hint } = secrets.createToken(ring.kind)
  const row = { key_id: ids.next(), key_hash: secret_hash, hint, description, now, expires_at, limits }
  await ring.add(row)
  const created_at = toEpoch(now)
  const answer = { id: toWireId(row.key_id), key, description, created_at }
  return { answer: { ...answer, expires_at: toExpiry(expires_at) }, row }
}
