// The life of keys, the same for those of people and those of service accounts: made, rotated, revoked. Whoever calls
// opens the transaction, brings the statements as a `KeyRing`, and records what is returned.
import type { Db } from '../../db/database.ts'
import { earlierOf, latestExpiry, rotationOf } from '../../domain/api-key.ts'
import { isWithinLimits } from '../../domain/key-scope.ts'
import type { Happening } from '../../events/record.ts'
import { forbidden, invalid } from '../../lib/errors.ts'
import { fromWireId, toWireId } from '../../lib/ids.ts'
import type { KeyKind } from '../../lib/secrets.ts'
import { noSuchKey, secretWasShown } from '../keys/problems.ts'
import { type KeyLimitation, type NewKeyRow, NO_LIMITATION } from '../keys/store.ts'
import {
  type ApiKeyPost,
  type ApiKeyRotate,
  type CreatedApiKey,
  expiryIn,
  type KeyRow,
  type RotatedApiKey,
  toEpochOrZero,
  USUAL_GRACE_HOURS,
} from '../keys/wire.ts'
import type { Caller, Deps } from '../operation.ts'
import { checkAddresses } from './allowed-addresses.ts'
import { idempotencyOf, refuseOtherContent } from './idempotency.ts'
import { claimKey } from './idempotency-store.ts'
import { toEpoch } from './wire.ts'

/** The keys of one owner, in one transaction. */
export interface KeyRing {
  owner_name: string
  kind: KeyKind
  add(key: NewKeyRow): Promise<void>
  /** A key that works and was not rotated, held until the end of the transaction. */
  hold(key_id: string): Promise<HeldKey | undefined>
  replace(old: { key_id: string; replaced_by: string; expires_at: Date }): Promise<void>
  /** Undefined when it did not work any more. */
  revoke(key_id: string): Promise<StoredKey | undefined>
}

/** What a change of a key needs to know of it. */
export type StoredKey = Pick<KeyRow, 'key_id' | 'hint' | 'description' | 'expires_at'>

interface HasLimits {
  limits: KeyLimitation
}

/** With what it is good for, which its successor inherits. */
export interface HeldKey extends StoredKey {
  limits: KeyLimitation
}

interface Done<T> {
  answer: T
  happening: Happening
}

type Tools = Pick<Deps, 'ids' | 'secrets'>

export interface WantedKey extends ApiKeyPost {
  scope?: Pick<KeyLimitation, 'flow_ids' | 'environment_ids'>
}

export async function addKey(
  ring: KeyRing,
  wanted: WantedKey,
  minting: Minting,
  tools: Tools,
): Promise<Done<CreatedApiKey>> {
  const { description, operations, scope } = wanted
  const { now } = minting
  const expires_at = expiryWithin(expiryIn(wanted.expires_at, now) ?? null, minting, wanted.expires_at)
  const limits: KeyLimitation = {
    ...NO_LIMITATION,
    ...scope,
    operations: operations ?? null,
    allowed_addresses: checkAddresses(wanted.allowed_addresses, 'allowed_addresses'),
  }
  refuseWider(limits, minting.asking)
  const made = await mint(ring, { description, expires_at, now, limits }, tools)
  return { answer: made.answer, happening: { kind: 'api_key_created', data: dataOf(ring, made.row) } }
}

/** What bounds a new key. */
export interface Minting {
  now: Date
  /** Who asks for it. */
  asking: Pick<Caller, 'credential' | 'key_expires_at' | 'scope' | 'allowed_addresses'>
  /** Of the organization that the key is for; null for no maximum. */
  max_lifetime_days: number | null
}

/** A key that mints another gives it no longer life than it has itself; a session may. */
function expiryWithin(wanted: Date | null, minting: Minting, sent: number | undefined): Date | null {
  const { now, asking, max_lifetime_days } = minting
  const asking_key_expires_at = asking.credential === 'key' ? asking.key_expires_at : null
  const latest = latestExpiry({ now, max_lifetime_days, asking_key_expires_at })
  if (wanted === null || latest === null || wanted <= latest) return wanted ?? latest
  throw invalid({
    expires_at: `Input should be at most ${Math.floor(toEpoch(latest))}, ${reasonFor(latest, minting)} [input: ${sent}]`,
  })
}

function reasonFor(latest: Date, { asking, max_lifetime_days }: Minting): string {
  return asking.credential === 'key' && asking.key_expires_at?.getTime() === latest.getTime()
    ? 'when the key that asks for it ends'
    : `${max_lifetime_days} days from now, the longest that the organization allows`
}

/** A key that is limited must not mint one that is not. */
function refuseWider(wanted: KeyLimitation, { scope, allowed_addresses }: Minting['asking']): void {
  if (!isWithinLimits(scope, wanted) || (allowed_addresses && !wanted.allowed_addresses)) {
    throw forbidden('A key with limits can only create keys with the same or narrower limits')
  }
}

/** The old key goes on working for the grace period; nothing is left of a rotation that fails. */
export async function rotateKey(
  ring: KeyRing,
  wire_id: string,
  { grace_period_hours = USUAL_GRACE_HOURS, expires_at }: ApiKeyRotate,
  minting: Minting,
  tools: Tools,
): Promise<Done<RotatedApiKey>> {
  const { now } = minting
  const wanted = { now, grace_period_hours, expires_at: expiryIn(expires_at, now) }
  const key_id = fromWireId(wire_id)
  const old = key_id === undefined ? undefined : await ring.hold(key_id)
  if (!old) throw noSuchKey()
  const times = rotationOf(old.expires_at, wanted)
  const { description, limits } = old
  refuseWider(limits, minting.asking)
  // What was not asked for is cut to what may be; what was asked for and may not be is refused.
  const bounded =
    expires_at === undefined ? earlierOf(times.expires_at, expiryWithin(null, minting, 0)) : null
  const ends_at = bounded ?? expiryWithin(times.expires_at, minting, expires_at)
  const made = await mint(ring, { description, expires_at: ends_at, now, limits }, tools)
  const replaced_by = made.row.key_id
  await ring.replace({ key_id: old.key_id, replaced_by, expires_at: times.grace_period_expires_at })
  const grace_period_expires_at = toEpoch(times.grace_period_expires_at)
  const replaced = { replaced_key_id: toWireId(old.key_id), replaced_hint: old.hint }
  const data = { ...dataOf(ring, made.row), ...replaced, grace_period_expires_at }
  return {
    answer: { ...made.answer, grace_period_expires_at },
    happening: { kind: 'api_key_rotated', data },
  }
}

export async function revokeKey(ring: KeyRing, wire_id: string): Promise<Happening> {
  const key_id = fromWireId(wire_id)
  const revoked = key_id === undefined ? undefined : await ring.revoke(key_id)
  if (!revoked) throw noSuchKey()
  return { kind: 'api_key_revoked', data: dataOf(ring, revoked) }
}

interface SecretRequest {
  params: unknown
  body: unknown
  caller: { id: string }
  operation_id: string
  idempotency_key: string | undefined
  now: Date
}

/** A retry of a request that answered a secret cannot be answered like the first: the secret is not kept. */
export async function refuseRetry(tx: Db, org_id: string, request: SecretRequest): Promise<void> {
  const named = idempotencyOf(request)
  const answered_sha256 = await claimKey(tx, org_id, named, request.now)
  refuseOtherContent(answered_sha256, named.request_sha256)
  if (answered_sha256 !== null) throw secretWasShown()
}

/** What the history says of a key: never the secret. */
export function dataOf(
  ring: { owner_name: string },
  key: Pick<KeyRow, 'key_id' | 'hint' | 'description' | 'expires_at'>,
) {
  const { hint, description } = key
  const expires_at = toEpochOrZero(key.expires_at)
  return { owner: ring.owner_name, key_id: toWireId(key.key_id), hint, description, expires_at }
}

async function mint(
  ring: KeyRing,
  { description, expires_at, now, limits }: Pick<NewKeyRow, 'description' | 'expires_at' | 'now'> & HasLimits,
  { ids, secrets }: Tools,
): Promise<{ answer: CreatedApiKey; row: NewKeyRow }> {
  const { key, secret_hash, hint } = secrets.newApiKey(ring.kind)
  const row = { key_id: ids.next(), key_hash: secret_hash, hint, description, now, expires_at, limits }
  await ring.add(row)
  const created_at = toEpoch(now)
  const answer = { id: toWireId(row.key_id), key, description, created_at }
  return { answer: { ...answer, expires_at: toEpochOrZero(expires_at) }, row }
}
