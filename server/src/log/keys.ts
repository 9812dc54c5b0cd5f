// The Ed25519 keys of a log: created when first needed, sealed at rest, replaced by a chain of leaves. Adding a key
// is a leaf that the previous key signs.
import { createPrivateKey } from 'node:crypto'
import { formatVerifierKey, generateKey, readPrivateKey, type SignerKey } from '@waybill/transparency-log'
import type { Db } from '../db/database.ts'
import type { EventKind } from '../events/kinds.ts'
import { assert } from '../lib/assert.ts'
import type { Sealer } from '../lib/sealer.ts'
import { insertLogKey, listLogKeys, markKeyRetired, type StoredLogKey } from './keys-store.ts'

/** The purpose for which private keys are sealed. */
export const LOG_KEY_PURPOSE = 'log-key'

/** After a rotation, both keys sign for this long, so that everybody sees the leaf that names the new key. */
export const OVERLAP_MS = 30 * 24 * 60 * 60 * 1000

export interface LogName {
  org_id: string
  epoch: number
  origin: string
}

export interface KeyChange {
  tx: Db
  sealer: Sealer
  now: Date
  /** Records the event in the transaction. */
  record(kind: EventKind, data: Record<string, unknown>): Promise<unknown>
}

/** Returns the id of the new key. Undefined if another process has added one at the same time. */
export async function addKey(
  log: LogName,
  { tx, sealer, now, record }: KeyChange,
): Promise<string | undefined> {
  const { org_id, epoch, origin } = log
  const keys = await listLogKeys(tx, org_id, epoch)
  const key = generateKey(origin, 'note')
  const vkey = formatVerifierKey(key)
  const private_sealed = sealer.seal(LOG_KEY_PURPOSE, exportPrivateKey(key))
  const number = (keys.at(-1)?.number ?? 0) + 1
  if (!(await insertLogKey(tx, { org_id, epoch, number, vkey, private_sealed, now }))) return undefined
  await record('log_key_added', { vkey, number })
  return key.id
}

export async function retireKey(
  { org_id, epoch }: Omit<LogName, 'origin'>,
  { number, vkey }: Pick<StoredLogKey, 'number' | 'vkey'>,
  { tx, now, record }: Omit<KeyChange, 'sealer'>,
): Promise<void> {
  if (await markKeyRetired(tx, { org_id, epoch, number, now }))
    await record('log_key_retired', { vkey, number })
}

export const isActive = ({ retired_at }: StoredLogKey): boolean => retired_at === null

/** Keys whose successor is old enough. */
export function listReplacedKeys(keys: readonly StoredLogKey[], now: Date): StoredLogKey[] {
  const active = keys.filter(isActive)
  const newest = active.at(-1)
  if (!newest || newest.added_at.getTime() + OVERLAP_MS > now.getTime()) return []
  return active.slice(0, -1)
}

export function openKey(
  { origin }: LogName,
  { vkey, private_sealed }: StoredLogKey,
  sealer: Sealer,
): SignerKey {
  const opened = sealer.open(LOG_KEY_PURPOSE, private_sealed)
  assert(opened !== undefined, 'a log key can be opened with the key it was sealed with')
  const der = Buffer.from(opened, 'base64')
  const key = readPrivateKey(origin, 'note', createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  assert(formatVerifierKey(key) === vkey, 'a log key belongs to its log')
  return key
}

function exportPrivateKey({ private_key }: SignerKey): string {
  return private_key.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}
