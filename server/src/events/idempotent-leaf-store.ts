// Stores the leaves of a request under its idempotency key, so that a retry gets the same ones.
import { type Database, makeStep, type Step } from '../db/database.ts'
import { bytes, count, defineStatement, int, type RowOf, text, uuid } from '../db/statement.ts'

export interface UsedKey {
  caller_id: string
  key: string
}

const remember = defineStatement(
  'idempotency.remember_leaves',
  { org_id: uuid, caller_id: uuid, key: text, event_id: uuid, event_count: int },
  {},
  `update idempotency_keys set event_id = :event_id, event_count = :event_count
   where org_id = :org_id and caller_id = :caller_id and key = :key and event_id is null`,
)

/** Has no effect if the operation does not use the key. */
export function buildRememberStep(
  org_id: string,
  used: UsedKey,
  { event_id, event_count }: { event_id: string; event_count: number },
): Step {
  return makeStep(remember, { org_id, ...used, event_id, event_count })
}

const find = defineStatement(
  'idempotency.find_leaves',
  { org_id: uuid, caller_id: uuid, key: text },
  { index: count, count: int, size: count, leaf_hash: bytes },
  `select l.seq as index, coalesce(k.event_count, 1) as count, h.size, l.leaf_hash from idempotency_keys k
   join log_leaves l on l.org_id = k.org_id and l.event_id = k.event_id
   join log_heads h on h.org_id = l.org_id and h.epoch = l.epoch
   where k.org_id = :org_id and k.caller_id = :caller_id and k.key = :key`,
)

/** The first leaf of the request that used the key, and their number. */
export async function findLeavesOfKey(
  db: Database,
  org_id: string,
  used: UsedKey,
): Promise<RowOf<typeof find> | undefined> {
  const [row] = await db.runOnce({ org_id }, find, { org_id, ...used })
  return row
}
