// The SQL of witnesses: their statements about a log, and the checkpoints that they have cosigned.
import type { Database, Db } from '../db/database.ts'
import {
  bool,
  bytes,
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeDatabase,
  text,
  texts,
  time,
  uuid,
} from '../db/statement.ts'

export const WITNESS_STATES = ['ok', 'behind', 'unreachable', 'fork'] as const
export type WitnessState = (typeof WITNESS_STATES)[number]

const list = defineStatement(
  'log.list_witnesses',
  { org_id: uuid, epoch: int },
  { vkey: text, size: count, cosigned_at: nullable(time), state: text, message: text },
  `select w.vkey, w.size, w.cosigned_at, w.state, w.message from log_witnesses w
   where w.org_id = :org_id and w.epoch = :epoch`,
)

export type StoredWitness = RowOf<typeof list>

export function listWitnesses(tx: Db, org_id: string, epoch: number): Promise<StoredWitness[]> {
  return tx.run(list, { org_id, epoch })
}

const claim = defineStatement(
  'log.claim_witnesses',
  { vkeys: texts, now: time, before: time, idle_before: time, limit: count },
  { org_id: uuid, vkey: text },
  `insert into log_witnesses as w (org_id, epoch, vkey, asked_at)
   select due.org_id, due.epoch, due.vkey, :now::timestamptz from (
     select h.org_id, h.epoch, v.vkey from log_heads h cross join unnest(:vkeys::text[]) v (vkey)
     left join log_witnesses k on k.org_id = h.org_id and k.epoch = h.epoch and k.vkey = v.vkey
     where (k.vkey is null or k.asked_at <= :idle_before or (k.asked_at <= :before and (k.state <> 'ok' or k.size <> h.size)))
       and not exists (select from frozen_orgs f where f.org_id = h.org_id)
     order by k.asked_at nulls first, h.org_id limit :limit
   ) due
   on conflict (org_id, epoch, vkey) do update set asked_at = excluded.asked_at where w.asked_at <= :before
   returning w.org_id, w.vkey`,
  readsWholeDatabase('the worker looks at the head of every log, a short row for each organization'),
)

export interface Claim {
  vkeys: readonly string[]
  now: Date
  /** Witnesses asked after this time are left alone. */
  before: Date
  /** Witnesses asked before this time are asked again even if the log has not grown: it may have been rewritten. */
  idle_before: Date
  limit: number
}

/** The witnesses to ask now, and about which logs. No other process gets the same ones. */
export function claimWitnesses(db: Database, { vkeys, ...rest }: Claim): Promise<RowOf<typeof claim>[]> {
  return db.runOnce({ worker: true }, claim, { vkeys: [...vkeys], ...rest })
}

const lock = defineStatement(
  'log.lock_witnesses',
  { org_id: uuid, epoch: int },
  { vkey: text, state: text },
  `select w.vkey, w.state from log_witnesses w
   where w.org_id = :org_id and w.epoch = :epoch order by w.vkey for update`,
)

/** Keeps others from changing what is stored about the log's witnesses until the transaction ends. */
export async function lockWitnesses(tx: Db, org_id: string, epoch: number): Promise<Map<string, string>> {
  const rows = await tx.run(lock, { org_id, epoch })
  return new Map(rows.map(({ vkey, state }) => [vkey, state]))
}

const save = defineStatement(
  'log.save_witness',
  {
    org_id: uuid,
    epoch: int,
    vkey: text,
    size: count,
    cosigned_at: nullable(time),
    state: text,
    message: text,
  },
  {},
  `update log_witnesses set size = greatest(size, :size), cosigned_at = coalesce(:cosigned_at, cosigned_at),
     state = :state, message = :message
   where org_id = :org_id and epoch = :epoch and vkey = :vkey`,
)

export interface WitnessReport {
  org_id: string
  epoch: number
  vkey: string
  /** 0 if the witness has not cosigned. */
  size: number
  cosigned_at: Date | null
  state: WitnessState
  message: string
}

export async function saveWitness(tx: Db, report: WitnessReport): Promise<void> {
  await tx.run(save, { ...report })
}

const cosigned = defineStatement(
  'log.find_cosigned',
  { org_id: uuid, epoch: int, size: count },
  { note: text },
  'select c.note from log_cosigned c where c.org_id = :org_id and c.epoch = :epoch and c.size = :size',
)

/** The note of exactly this size, if a witness has cosigned it. */
export async function findCosigned(
  tx: Db,
  org_id: string,
  epoch: number,
  size: number,
): Promise<string | undefined> {
  return (await tx.run(cosigned, { org_id, epoch, size }))[0]?.note
}

const newest = defineStatement(
  'log.find_newest_with_quorum',
  { org_id: uuid, epoch: int },
  { note: text },
  `select c.note from log_cosigned c where c.org_id = :org_id and c.epoch = :epoch and c.has_quorum
   order by c.size desc limit 1`,
)

/** The newest note that enough witnesses have cosigned. */
export async function findNewestWithQuorum(
  tx: Db,
  org_id: string,
  epoch: number,
): Promise<string | undefined> {
  return (await tx.run(newest, { org_id, epoch }))[0]?.note
}

const store = defineStatement(
  'log.store_cosigned',
  { org_id: uuid, epoch: int, size: count, root: bytes, note: text, has_quorum: bool },
  {},
  `insert into log_cosigned (org_id, epoch, size, root, note, has_quorum)
   values (:org_id, :epoch, :size, :root, :note, :has_quorum)
   on conflict (org_id, epoch, size) do update set note = excluded.note, has_quorum = excluded.has_quorum`,
)

export interface CosignedCheckpoint {
  org_id: string
  epoch: number
  size: number
  root: Buffer
  note: string
  has_quorum: boolean
}

/** Replaces the note of the same size: the caller has added its cosignatures. */
export async function storeCosigned(tx: Db, checkpoint: CosignedCheckpoint): Promise<void> {
  await tx.run(store, { ...checkpoint })
}

const forked = defineStatement(
  'log.find_fork',
  { vkeys: texts },
  { org_id: uuid, message: text },
  `select w.org_id, w.message from log_witnesses w join log_heads h on h.org_id = w.org_id and h.epoch = w.epoch
   where w.state = 'fork' and w.vkey = any(:vkeys) order by w.org_id limit 1`,
)

/** A log of which a witness has seen another version. */
export async function findFork(
  db: Database,
  vkeys: readonly string[],
): Promise<{ org_id: string; message: string } | undefined> {
  return (await db.runOnce({ worker: true }, forked, { vkeys: [...vkeys] }))[0]
}
