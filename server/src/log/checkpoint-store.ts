// The SQL of stored checkpoints.
import type { Database, Db } from '../db/database.ts'
import {
  bool,
  bytes,
  count,
  counts,
  defineStatement,
  int,
  ints,
  nullable,
  type RowOf,
  readsWholeDatabase,
  type Statement,
  text,
  uuid,
  uuids,
} from '../db/statement.ts'

const store = defineStatement(
  'log.store_checkpoint',
  { org_id: uuid, epoch: int, minute: int, size: count, root: bytes, note: text },
  {},
  `insert into log_checkpoints as c (org_id, epoch, minute, size, root, note)
   values (:org_id, :epoch, :minute, :size, :root, :note)
   on conflict (org_id, epoch, minute) do update set size = excluded.size, root = excluded.root, note = excluded.note
   where c.size < excluded.size`,
)

export interface StoredCheckpoint {
  org_id: string
  epoch: number
  minute: number
  size: number
  root: Buffer
  note: string
}

/** Replaces an earlier one of the same minute. */
export async function storeCheckpoint(db: Database, checkpoint: StoredCheckpoint): Promise<void> {
  await db.runOnce({ org_id: checkpoint.org_id }, store, { ...checkpoint })
}

const newest = defineStatement(
  'log.find_checkpoint',
  { org_id: uuid, epoch: int },
  { size: count, note: text },
  `select c.size, c.note from log_checkpoints c where c.org_id = :org_id and c.epoch = :epoch
   order by c.minute desc limit 1`,
)

export async function findStoredCheckpoint(
  tx: Db,
  org_id: string,
  epoch: number,
): Promise<{ size: number; note: string } | undefined> {
  const [row] = await tx.run(newest, { org_id, epoch })
  return row
}

const head = defineStatement(
  'log.find_status',
  { org_id: uuid },
  {
    epoch: int,
    origin: text,
    size: count,
    checkpoint_size: nullable(count),
    checkpoint_minute: nullable(int),
  },
  `select h.epoch, h.origin, h.size, stored.size as checkpoint_size, stored.minute as checkpoint_minute
   from log_heads h left join lateral (
     select c.size, c.minute from log_checkpoints c
     where c.org_id = h.org_id and c.epoch = h.epoch order by c.minute desc limit 1
   ) stored on true
   where h.org_id = :org_id`,
)

/** The log with its newest stored checkpoint. Undefined for an org without a log. */
export async function findLogStatus(tx: Db, org_id: string): Promise<RowOf<typeof head> | undefined> {
  const [row] = await tx.run(head, { org_id })
  return row
}

const grown = defineStatement(
  'log.list_grown',
  {},
  { org_id: uuid, size: count, stored_size: nullable(count) },
  `select h.org_id, h.size, stored.size as stored_size from log_heads h left join lateral (
     select c.size from log_checkpoints c where c.org_id = h.org_id and c.epoch = h.epoch order by c.minute desc limit 1
   ) stored on true
   where (stored.size is null or stored.size < h.size)
     and not exists (select from frozen_orgs f where f.org_id = h.org_id)`,
  readsWholeDatabase('the worker looks at the head of every log, a short row for each organization'),
)

/** The logs with leaves that no stored checkpoint covers. For a frozen organization nothing can be stored. */
export function listGrownLogs(db: Database): Promise<RowOf<typeof grown>[]> {
  return db.runOnce({ worker: true }, grown, {})
}

const behind = defineStatement(
  'log.list_behind',
  { org_ids: uuids, epochs: ints, sizes: counts, are_all: bool },
  { org_id: uuid, epoch: int, size: count, anchor_epoch: nullable(int), anchor_size: nullable(count) },
  `select h.org_id, h.epoch, h.size, a.epoch as anchor_epoch, a.size as anchor_size
   from log_heads h
   left join unnest(:org_ids::uuid[], :epochs::int[], :sizes::bigint[]) as a(org_id, epoch, size) on a.org_id = h.org_id
   where (a.epoch, a.size) > (h.epoch, h.size)
     or :are_all::bool and coalesce(a.epoch, 0) < h.epoch
       and exists (select from log_checkpoints c where c.org_id = h.org_id and c.epoch = h.epoch)
   order by h.org_id`,
  readsWholeDatabase('compares the head of every log, a short row for each organization, once a minute'),
)

export interface AnchorPlace {
  org_id: string
  epoch: number
  size: number
}

/**
 * The logs that are not as long as their anchors say. If the anchors `are_all` there are, also those that have lost
 * their anchor: it is null, or of an older epoch.
 */
export function listBehind(
  run: <P, R>(statement: Statement<P, R>, params: P) => Promise<R[]>,
  anchors: readonly AnchorPlace[],
  are_all: boolean,
): Promise<RowOf<typeof behind>[]> {
  return run(behind, {
    org_ids: anchors.map(({ org_id }) => org_id),
    epochs: anchors.map(({ epoch }) => epoch),
    sizes: anchors.map(({ size }) => size),
    are_all,
  })
}

const unanchored = defineStatement(
  'log.find_unanchored',
  {},
  { org_id: uuid, waited_ms: count },
  `select h.org_id, greatest((extract(epoch from clock_timestamp()) * 1000)::bigint - l.logged_ms, 0) as waited_ms
   from log_heads h cross join lateral (
     select c.size from log_checkpoints c where c.org_id = h.org_id and c.epoch = h.epoch order by c.minute desc limit 1
   ) stored
   join log_leaves l on l.org_id = h.org_id and l.epoch = h.epoch and l.seq = stored.size
   where not exists (select from frozen_orgs f where f.org_id = h.org_id)
   order by l.logged_ms limit 1`,
  readsWholeDatabase('a probe looks at the head of every log, a short row for each organization'),
)

/**
 * The log whose first leaf without a published checkpoint has waited longest, by the clock that also dates the
 * leaves.
 */
export async function findUnanchored(db: Database): Promise<RowOf<typeof unanchored> | undefined> {
  return (await db.runOnce({ worker: true }, unanchored, {}))[0]
}
