// The SQL of the keys that sign a log's checkpoints.
import type { Db } from '../db/database.ts'
import { defineStatement, int, nullable, type RowOf, text, time, uuid } from '../db/statement.ts'

const list = defineStatement(
  'log.list_keys',
  { org_id: uuid, epoch: int },
  { number: int, vkey: text, private_sealed: text, added_at: time, retired_at: nullable(time) },
  `select k.number, k.vkey, k.private_sealed, k.added_at, k.retired_at from log_keys k
   where k.org_id = :org_id and k.epoch = :epoch order by k.number`,
)

export type StoredLogKey = RowOf<typeof list>

/** Includes the retired ones, oldest first. */
export function listLogKeys(tx: Db, org_id: string, epoch: number): Promise<StoredLogKey[]> {
  return tx.run(list, { org_id, epoch })
}

const insert = defineStatement(
  'log.insert_key',
  { org_id: uuid, epoch: int, number: int, vkey: text, private_sealed: text, now: time },
  { number: int },
  `insert into log_keys (org_id, epoch, number, vkey, private_sealed, added_at)
   values (:org_id, :epoch, :number, :vkey, :private_sealed, :now)
   on conflict do nothing returning number`,
)

export interface NewLogKey {
  org_id: string
  epoch: number
  number: number
  vkey: string
  private_sealed: string
  now: Date
}

/** False if another process has added the key with this number. */
export async function insertLogKey(tx: Db, key: NewLogKey): Promise<boolean> {
  return (await tx.run(insert, { ...key })).length > 0
}

const retire = defineStatement(
  'log.retire_key',
  { org_id: uuid, epoch: int, number: int, now: time },
  { vkey: text },
  `update log_keys set retired_at = :now
   where org_id = :org_id and epoch = :epoch and number = :number and retired_at is null
   returning vkey`,
)

/** False if the key is already retired. */
export async function markKeyRetired(
  tx: Db,
  key: { org_id: string; epoch: number; number: number; now: Date },
): Promise<boolean> {
  return (await tx.run(retire, key)).length > 0
}

const head = defineStatement(
  'log.find_head',
  { org_id: uuid },
  { epoch: int, origin: text },
  'select h.epoch, h.origin from log_heads h where h.org_id = :org_id',
)

export async function findLogName(
  tx: Db,
  org_id: string,
): Promise<{ epoch: number; origin: string } | undefined> {
  const [row] = await tx.run(head, { org_id })
  return row
}
