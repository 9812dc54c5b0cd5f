// The life of keys, the same for those of people and those of service accounts: made, rotated, revoked. Whoever calls
// opens the transaction, brings the statements as a `KeyRing`, and records what is returned.
import type { Db } from '../../db/database.ts'
import { rotationOf } from '../../domain/api-key.ts'
import type { Happening } from '../../events/record.ts'
import { fromWireId, toWireId } from '../../lib/ids.ts'
import type { KeyKind } from '../../lib/secrets.ts'
import { noSuchKey, secretWasShown } from '../keys/problems.ts'
import type { NewKeyRow } from '../keys/store.ts'
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
import type { Deps } from '../operation.ts'
import { idempotencyOf, refuseOtherContent } from './idempotency.ts'
import { claimKey } from './idempotency-store.ts'
import { toEpoch } from './wire.ts'

/** The keys of one owner, in one transaction. */
export interface KeyRing {
  owner_name: string
  kind: KeyKind
  add(key: NewKeyRow): Promise<void>
  /** A key that works and was not rotated, held until the end of the transaction. */
  hold(key_id: string): Promise<KeyRow | undefined>
  replace(old: { key_id: string; replaced_by: string; expires_at: Date }): Promise<void>
  /** Undefined when it did not work any more. */
  revoke(key_id: string): Promise<KeyRow | undefined>
}

interface Done<T> {
  answer: T
  happening: Happening
}

type Tools = Pick<Deps, 'ids' | 'secrets'>

export async function addKey(
  ring: KeyRing,
  { description, expires_at }: ApiKeyPost,
  now: Date,
  tools: Tools,
): Promise<Done<CreatedApiKey>> {
  const made = await mint(ring, { description, expires_at: expiryIn(expires_at, now) ?? null, now }, tools)
  return { answer: made.answer, happening: { kind: 'api_key_created', data: dataOf(ring, made.row) } }
}

/** The old key goes on working for the grace period; nothing is left of a rotation that fails. */
export async function rotateKey(
  ring: KeyRing,
  wire_id: string,
  { grace_period_hours = USUAL_GRACE_HOURS, expires_at }: ApiKeyRotate,
  now: Date,
  tools: Tools,
): Promise<Done<RotatedApiKey>> {
  const wanted = { now, grace_period_hours, expires_at: expiryIn(expires_at, now) }
  const key_id = fromWireId(wire_id)
  const old = key_id === undefined ? undefined : await ring.hold(key_id)
  if (!old) throw noSuchKey()
  const times = rotationOf(old.expires_at, wanted)
  const { description } = old
  const made = await mint(ring, { description, expires_at: times.expires_at, now }, tools)
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
export function dataOf(ring: { owner_name: string }, key: Omit<KeyRow, 'created_at' | 'last_used_at'>) {
  const { hint, description } = key
  const expires_at = toEpochOrZero(key.expires_at)
  return { owner: ring.owner_name, key_id: toWireId(key.key_id), hint, description, expires_at }
}

async function mint(
  ring: KeyRing,
  { description, expires_at, now }: Pick<NewKeyRow, 'description' | 'expires_at' | 'now'>,
  { ids, secrets }: Tools,
): Promise<{ answer: CreatedApiKey; row: NewKeyRow }> {
  const { key, secret_hash, hint } = secrets.newApiKey(ring.kind)
  const row = { key_id: ids.next(), key_hash: secret_hash, hint, description, now, expires_at }
  await ring.add(row)
  const created_at = toEpoch(now)
  const answer = { id: toWireId(row.key_id), key, description, created_at }
  return { answer: { ...answer, expires_at: toEpochOrZero(expires_at) }, row }
}
