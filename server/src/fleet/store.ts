// Every statement about the processes of an installation as a whole: live workers, and their backlog.
import { computeFirst } from '../db/compute-first.ts'
import type { Database } from '../db/database.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsPage,
  readsWholeDatabase,
  text,
  texts,
  time,
  uuid,
} from '../db/statement.ts'

const record = defineStatement(
  'workers.record',
  { worker_id: uuid },
  {},
  `with forgotten as (delete from workers where seen_at < clock_timestamp() - interval '1 day')
   insert into workers (worker_id, started_at, seen_at)
   values (:worker_id, clock_timestamp(), clock_timestamp())
   on conflict (worker_id) do update set seen_at = excluded.seen_at`,
)

/** Records that this worker is alive. Forgets workers last seen long ago. */
export async function recordHeartbeat(db: Database, worker_id: string): Promise<void> {
  await db.runOnce({ worker: true }, record, { worker_id })
}

const workers = defineStatement(
  'workers.read',
  { alive_s: int },
  { alive: count, unseen_s: nullable(int) },
  `select count(*) filter (where seen_at > clock_timestamp() - :alive_s::int * interval '1 s') as alive,
     extract(epoch from clock_timestamp() - max(seen_at))::int as unseen_s
   from workers`,
)

/**
 * How many workers were seen in the last `alive_s` seconds, and how long ago the latest was; null if there never was
 * one.
 */
export async function readWorkers(db: Database, alive_s: number): Promise<RowOf<typeof workers>> {
  const [row] = await db.runOnce({ worker: true }, workers, { alive_s })
  return row ?? { alive: 0, unseen_s: null }
}

const logs = defineStatement(
  'fleet.read_logs',
  {},
  {
    leaves: nullable(count),
    unpublished: count,
    unpublished_ms: nullable(count),
    newest_minute: nullable(int),
  },
  `select sum(h.size)::bigint as leaves, max(stored.minute) as newest_minute, count(waiting.logged_ms) as unpublished,
     max((extract(epoch from clock_timestamp()) * 1000)::bigint - waiting.logged_ms) as unpublished_ms
   from log_heads h left join lateral (
     select c.size, c.minute from log_checkpoints c
     where c.org_id = h.org_id and c.epoch = h.epoch order by c.minute desc limit 1
   ) stored on true
   left join lateral (
     select l.logged_ms from log_leaves l
     where l.org_id = h.org_id and l.epoch = h.epoch and l.seq = ${computeFirst('coalesce(stored.size, 0)')}
       and not exists (select from frozen_orgs f where f.org_id = h.org_id)
     limit 1
   ) waiting on true`,
  readsWholeDatabase(
    'a scrape of the metrics looks at the head of every log, a short row for each organization',
  ),
)

const evidence = defineStatement(
  'fleet.sum_evidence',
  {},
  { bytes: count },
  'select coalesce(sum(evidence_bytes), 0)::bigint as bytes from org_usage',
  readsWholeDatabase('a scrape of the metrics adds up a short row of each organization'),
)

export async function sumEvidence(db: Database): Promise<number> {
  const [row] = await db.runOnce({ worker: true }, evidence, {})
  return row?.bytes ?? 0
}

export interface LogMeasures {
  leaves: number
  /** Logs with leaves that no published checkpoint covers. */
  unpublished: number
  /** How long the first of these leaves has waited, by the clock that also dates them; null if there is none. */
  unpublished_ms: number | null
  /** The minute of the newest published checkpoint, since 1970; null if there is none. */
  newest_minute: number | null
}

export async function measureLogs(db: Database): Promise<LogMeasures> {
  const [row] = await db.runOnce({ worker: true }, logs, {})
  return { unpublished: 0, unpublished_ms: null, newest_minute: null, ...row, leaves: row?.leaves ?? 0 }
}

const witnesses = defineStatement(
  'fleet.read_witnesses',
  { vkeys: texts },
  { vkey: text, state: text, logs: count, cosigned_at: nullable(time) },
  `select w.vkey, w.state, count(*) as logs, max(w.cosigned_at) as cosigned_at
   from log_witnesses w join log_heads h on h.org_id = w.org_id and h.epoch = w.epoch
   where w.vkey = any (:vkeys) group by w.vkey, w.state`,
  readsWholeDatabase(
    'a scrape of the metrics looks at what each witness said about every log, a short row for each',
  ),
)

export type WitnessedLogs = RowOf<typeof witnesses>

/** Counts each witness's logs by state, and finds when it last cosigned one of them. */
export function readWitnesses(db: Database, vkeys: readonly string[]): Promise<WitnessedLogs[]> {
  return vkeys.length === 0
    ? Promise.resolve([])
    : db.runOnce({ worker: true }, witnesses, { vkeys: [...vkeys] })
}

const backlog = defineStatement(
  'backlog.read',
  { most: int },
  { queue: text, waiting: count, oldest_at: nullable(time) },
  `select kind as queue, count(*) as waiting, min(due_at) filter (where not is_paused) as oldest_at
   from (
     select o.kind, o.due_at, b.target_id is not null as is_paused
     from outbox o
     left join delivery_breakers b
       on b.org_id = o.org_id and b.target_id = o.target_id and b.paused_until is not null
     where o.finished_at is null
     limit :most::int
   ) jobs
   group by kind
   union all
   select 'evaluation', count(*), min(marked_at)
   from (select marked_at from pending_judgements limit :most::int) requests`,
  readsPage,
)

export type Queue = RowOf<typeof backlog>

/**
 * The backlog by queue: the kinds of jobs in the outbox, and `evaluation`. Each is counted up to `most`. Messages to
 * paused targets are counted, but never as the oldest: they wait for their receiver, not for us.
 */
export function readBacklog(db: Database, most: number): Promise<Queue[]> {
  return db.runOnce({ worker: true }, backlog, { most })
}

const paused = defineStatement(
  'backlog.paused_targets',
  {},
  { total: count },
  'select count(*) as total from delivery_breakers where paused_until is not null',
)

export async function countPausedTargets(db: Database): Promise<number> {
  return (await db.runOnce({ worker: true }, paused, {}))[0]?.total ?? 0
}
