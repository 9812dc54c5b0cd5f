// The SQL of audit sinks: which cursors are due, their next leaves, and their progress.
import { computeFirst } from '../db/compute-first.ts'
import type { Database, Db } from '../db/database.ts'
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
import { selectSponsor } from '../db/turns.ts'

const claim = defineStatement(
  'audit_sinks.claim',
  { sinks: texts, now: time, until: time, limit: count },
  {
    org_id: uuid,
    sink: text,
    epoch: int,
    next_seq: count,
    until_epoch: nullable(int),
    until_seq: nullable(count),
    failures: int,
  },
  `insert into audit_sink_cursors as c (org_id, sink, not_before)
   select due.org_id, due.sink, :until::timestamptz from (
     select w.org_id, w.sink, row_number() over (partition by w.sponsor, w.sink order by w.since nulls first, w.org_id)
       as turn, w.since
     from (
       select h.org_id, s.sink, k.not_before as since, ${selectSponsor('h.org_id')} as sponsor
       from log_heads h cross join unnest(:sinks::text[]) s (sink)
       left join audit_sink_cursors k on k.org_id = h.org_id and k.sink = s.sink
       where (k.sink is null or (k.not_before <= :now and (k.epoch, k.next_seq) < (h.epoch, h.size)))
         and not exists (select from frozen_orgs f where f.org_id = h.org_id)
     ) w
   ) due
   where due.turn = 1
   order by due.since nulls first, due.org_id limit :limit
   on conflict (org_id, sink) do update set not_before = excluded.not_before where c.not_before <= :now
   returning c.org_id, c.sink, c.epoch, c.next_seq, c.until_epoch, c.until_seq, c.failures`,
  readsWholeDatabase('the worker looks at the head of every log, a short row for each organization'),
)

export type ClaimedCursor = RowOf<typeof claim>

/** The cursors whose next batch is due, one of each sponsor and sink. No other process gets the same ones before `until`. */
export function claimCursors(
  db: Database,
  { sinks, ...rest }: { sinks: readonly string[]; now: Date; until: Date; limit: number },
): Promise<ClaimedCursor[]> {
  return db.runOnce({ worker: true }, claim, { sinks: [...sinks], ...rest })
}

const next = defineStatement(
  'audit_sinks.next_leaves',
  {
    org_id: uuid,
    epoch: int,
    from: count,
    until_epoch: nullable(int),
    until_seq: nullable(count),
    limit: int,
  },
  { org: text, epoch: int, seq: count, event_id: uuid, kind: text, logged_ms: count },
  `select o.name as org, l.epoch, l.seq, l.event_id, l.kind, l.logged_ms
   from log_leaves l join orgs o on o.org_id = l.org_id
   where l.org_id = :org_id and (l.epoch, l.seq) >= (:epoch::int, :from::bigint)
     and (l.epoch, l.seq) <= (coalesce(:until_epoch::int, 2147483647), coalesce(:until_seq::bigint, 9223372036854775807))
   order by l.epoch, l.seq limit :limit::int`,
  readsPage,
)

export type NextLeaf = RowOf<typeof next>

/** The leaves from the cursor on, in log order; if a batch was begun, only its leaves. */
export function listNextLeaves(tx: Db, cursor: ClaimedCursor, limit: number): Promise<NextLeaf[]> {
  const { org_id, epoch, next_seq: from, until_epoch, until_seq } = cursor
  return tx.run(next, { org_id, epoch, from, until_epoch, until_seq, limit })
}

export interface Position {
  epoch: number
  seq: number
}

const OF_CURSOR = { org_id: uuid, sink: text, epoch: int, next_seq: count }
const IS_CURSOR = 'org_id = :org_id and sink = :sink and epoch = :epoch and next_seq = :next_seq'

const begin = defineStatement(
  'audit_sinks.begin_batch',
  { ...OF_CURSOR, until_epoch: int, until_seq: count },
  {},
  `update audit_sink_cursors set until_epoch = :until_epoch, until_seq = :until_seq where ${IS_CURSOR}`,
)

/** Fixes the end of the batch, however often it is sent. */
export async function beginBatch(db: Database, cursor: ClaimedCursor, last: Position): Promise<void> {
  await db.runOnce({ worker: true }, begin, {
    ...pickCursor(cursor),
    until_epoch: last.epoch,
    until_seq: last.seq,
  })
}

const accept = defineStatement(
  'audit_sinks.accept_batch',
  { ...OF_CURSOR, new_epoch: int, new_seq: count, now: time },
  {},
  `update audit_sink_cursors set epoch = :new_epoch, next_seq = :new_seq, until_epoch = null, until_seq = null,
     not_before = :now, failures = 0, failing_since = null, message = null
   where ${IS_CURSOR}`,
)

/** Moves the cursor past the batch, unless somebody has moved it meanwhile. */
export async function acceptBatch(
  db: Database,
  cursor: ClaimedCursor,
  last: Position,
  now: Date,
): Promise<void> {
  const moved = { new_epoch: last.epoch, new_seq: last.seq + 1, now }
  await db.runOnce({ worker: true }, accept, { ...pickCursor(cursor), ...moved })
}

const fail = defineStatement(
  'audit_sinks.fail_batch',
  { ...OF_CURSOR, now: time, not_before: time, message: text },
  {},
  `update audit_sink_cursors set failures = failures + 1, failing_since = coalesce(failing_since, :now),
     not_before = :not_before, message = :message
   where ${IS_CURSOR}`,
)

export async function failBatch(
  db: Database,
  cursor: ClaimedCursor,
  failure: { now: Date; not_before: Date; message: string },
): Promise<void> {
  await db.runOnce({ worker: true }, fail, { ...pickCursor(cursor), ...failure })
}

const pickCursor = ({ org_id, sink, epoch, next_seq }: ClaimedCursor) => ({ org_id, sink, epoch, next_seq })

const measure = defineStatement(
  'audit_sinks.measure',
  { sinks: texts },
  { sink: text, unsent: count, oldest_age_ms: nullable(count), failing: count },
  `select s.sink, coalesce(sum(waiting.leaves), 0)::bigint as unsent, 
     max((extract(epoch from clock_timestamp()) * 1000)::bigint - waiting.logged_ms) as oldest_age_ms,
     count(k.failing_since) as failing
   from unnest(:sinks::text[]) s (sink) cross join log_heads h
   left join audit_sink_cursors k on k.org_id = h.org_id and k.sink = s.sink
   left join lateral (
     select h.size - case when k.epoch = h.epoch then k.next_seq else 0 end as leaves, l.logged_ms
     from log_leaves l
     where l.org_id = h.org_id and (l.epoch, l.seq) >= (
         ${computeFirst('coalesce(k.epoch, 0)')}, ${computeFirst('coalesce(k.next_seq, 0)')})
       and not exists (select from frozen_orgs f where f.org_id = h.org_id)
     order by l.epoch, l.seq limit 1
   ) waiting on true
   group by s.sink`,
  readsWholeDatabase(
    'a scrape of the metrics looks at the head of every log, a short row for each organization',
  ),
)

export type SinkMeasures = RowOf<typeof measure>

/**
 * Leaves that each sink has not accepted, how long the first of them has waited by the clock that also dates them, and the
 * number of organizations in which it fails.
 */
export function measureSinks(db: Database, sinks: readonly string[]): Promise<SinkMeasures[]> {
  return sinks.length === 0
    ? Promise.resolve([])
    : db.runOnce({ worker: true }, measure, { sinks: [...sinks] })
}

const list = defineStatement(
  'audit_sinks.list',
  { sinks: texts },
  {
    sink: text,
    org: text,
    epoch: int,
    next_seq: count,
    head_epoch: int,
    size: count,
    failures: int,
    failing_since: nullable(time),
    message: nullable(text),
  },
  `select s.sink, o.name as org, coalesce(k.epoch, 0) as epoch, coalesce(k.next_seq, 0) as next_seq,
     h.epoch as head_epoch, h.size, coalesce(k.failures, 0) as failures, k.failing_since, k.message
   from unnest(:sinks::text[]) s (sink) cross join log_heads h join orgs o on o.org_id = h.org_id
   left join audit_sink_cursors k on k.org_id = h.org_id and k.sink = s.sink
   order by s.sink, o.name`,
  readsWholeDatabase('the operator asks how far each sink is in every organization'),
)

export type SinkState = RowOf<typeof list>

/** Needs the schema owner, who sees every organization. */
export function listSinkStates(tx: Db, sinks: readonly string[]): Promise<SinkState[]> {
  return tx.run(list, { sinks: [...sinks] })
}

const rewind = defineStatement(
  'audit_sinks.rewind',
  { org_id: uuid, sink: text, epoch: int, next_seq: count, now: time },
  { org_id: uuid },
  `update audit_sink_cursors set epoch = :epoch, next_seq = :next_seq, until_epoch = null, until_seq = null,
     not_before = :now
   where org_id = :org_id and sink = :sink returning org_id`,
)

/** Returns whether the sink has a cursor in the organization. */
export async function rewindCursor(
  tx: Db,
  to: { org_id: string; sink: string; epoch: number; next_seq: number; now: Date },
): Promise<boolean> {
  return (await tx.run(rewind, to)).length > 0
}
