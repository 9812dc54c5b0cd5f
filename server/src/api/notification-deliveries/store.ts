// Every statement about the delivery log. A delivery is an outbox job with an event type. A scan reads a bounded number
// of the newest deliveries before a cursor, by an index.
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type ParamsOf,
  type RowOf,
  readsPage,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { Notice } from '../../domain/notification/notice.ts'

/** The status of delivery `o`. */
const STATUS = `case when o.finished_at is null then 'pending' when o.suppressed is not null then 'suppressed'
     when o.last_error is null then 'delivered' else 'failed' end`

const scan = defineStatement(
  'deliveries.scan',
  {
    org_id: uuid,
    before_id: uuid,
    not_before_id: uuid,
    number: nullable(int),
    notification_type: nullable(text),
    event_type: nullable(text),
    status: nullable(text),
    from_at: nullable(time),
    to_at: nullable(time),
    max_examined: int,
    limit: int,
  },
  { job_ids: uuids, examined: int, last_id: nullable(uuid) },
  `with examined as materialized (
     select o.job_id, o.event_type, o.notification_id, o.notification_type, o.created_at, ${STATUS} as status
     from outbox o
     where o.org_id = :org_id and o.event_type is not null
       and o.job_id < :before_id and o.job_id >= :not_before_id
     order by o.job_id desc
     limit :max_examined::int
   )
   select
     array(
       select x.job_id from examined x
       where (:number::int is null or x.notification_id = (
           select n.notification_id from notifications n where n.org_id = :org_id and n.number = :number))
         and (:notification_type::text is null or x.notification_type = :notification_type)
         and (:event_type::text is null or x.event_type = :event_type)
         and (:status::text is null or x.status = :status)
         and (:from_at::timestamptz is null or x.created_at >= :from_at)
         and (:to_at::timestamptz is null or x.created_at <= :to_at)
       order by x.job_id desc
       limit :limit::int
     ) as job_ids,
     (select count(*)::int from examined) as examined,
     (select x.job_id from examined x order by x.job_id limit 1) as last_id`,
  readsPage,
)

export type Scan = Omit<ParamsOf<typeof scan>, 'org_id'>
export type FoundDeliveries = RowOf<typeof scan>

export async function scanDeliveries(db: Db, org_id: string, filter: Scan): Promise<FoundDeliveries> {
  const [found] = await db.run(scan, { org_id, ...filter })
  return found ?? { job_ids: [], examined: 0, last_id: null }
}

const listByIds = defineStatement(
  'deliveries.with_ids',
  { org_id: uuid, job_ids: uuids },
  {
    job_id: uuid,
    event_type: nullable(text),
    notification_type: nullable(text),
    number: nullable(int),
    name: nullable(text),
    target_type: nullable(text),
    webhook_sealed: nullable(text),
    emails: nullable(texts),
    derived_address: nullable(text),
    notice: json<Notice>(),
    status: text,
    created_at: time,
    attempts: int,
    due_at: time,
    finished_at: nullable(time),
    last_error: nullable(text),
    suppressed: nullable(text),
    switched_off_at: nullable(time),
    paused_until: nullable(time),
    paused_failures: nullable(int),
    paused_error: nullable(text),
  },
  `select o.job_id, o.event_type, o.notification_type, n.number, n.name, t.type as target_type, t.webhook_sealed,
     t.emails, o.payload ->> 'to' as derived_address, o.payload -> 'notice' as notice, ${STATUS} as status,
     o.created_at, o.attempts, o.due_at, o.finished_at, o.last_error, o.suppressed, t.switched_off_at, b.paused_until,
     b.failures as paused_failures, b.last_error as paused_error
   from outbox o
   left join notifications n on n.org_id = o.org_id and n.notification_id = o.notification_id
   left join notification_targets t on t.org_id = o.org_id and t.target_id = o.target_id
   left join delivery_breakers b on b.org_id = t.org_id and b.target_id = t.target_id and b.paused_until is not null
   where o.org_id = :org_id and o.job_id = any (:job_ids) and o.event_type is not null
   order by o.job_id desc`,
)

export type DeliveryRow = RowOf<typeof listByIds>

/** Newest first. */
export async function listDeliveriesByIds(db: Db, org_id: string, job_ids: string[]): Promise<DeliveryRow[]> {
  return job_ids.length === 0 ? [] : db.run(listByIds, { org_id, job_ids })
}

const attempts = defineStatement(
  'deliveries.attempts',
  { org_id: uuid, job_id: uuid },
  {
    attempted_at: time,
    duration_ms: int,
    status: nullable(int),
    error: nullable(text),
    answer: nullable(text),
  },
  `select attempted_at, duration_ms, status, error, answer from delivery_attempts
   where org_id = :org_id and job_id = :job_id
   order by lease_no`,
)

export type AttemptRow = RowOf<typeof attempts>

/** Oldest first. */
export function listAttempts(db: Db, org_id: string, job_id: string): Promise<AttemptRow[]> {
  return db.run(attempts, { org_id, job_id })
}

const lock = defineStatement(
  'deliveries.lock',
  { org_id: uuid, job_id: uuid, now: time },
  { is_being_sent: bool, is_target_removed: bool },
  `select o.finished_at is null and coalesce(o.lease_until > :now, false) as is_being_sent,
     o.target_id is not null and not exists (
       select from notification_targets t
       left join notifications n on n.org_id = t.org_id and n.notification_id = t.notification_id
       where t.org_id = o.org_id and t.target_id = o.target_id and t.removed_at is null and n.deleted_at is null
     ) as is_target_removed
   from outbox o
   where o.org_id = :org_id and o.job_id = :job_id and o.event_type is not null
   for update of o`,
)

/** Locks it until the end of the transaction: nobody can start or finish sending it meanwhile. */
export async function lockDelivery(db: Db, org_id: string, delivery: { job_id: string; now: Date }) {
  return (await db.run(lock, { org_id, ...delivery }))[0]
}

// Keeps the row, so the delivery keeps its id. The lease gets a new number: a worker with the previous lease must not
// finish a delivery that it did not send.
const RESET_FOR_REPLAY = `finished_at = null, due_at = :now, attempts = 0, last_error = null, suppressed = null,
     lease_until = null,
     lease_no = o.lease_no + 1, payload = o.payload || '{"is_replay": true}'`

/** Sends the next message to each target now, as a probe, because somebody requested it. */
const END_PAUSES = `update delivery_breakers b set paused_until = :now
   where b.org_id = :org_id and b.target_id in (select r.target_id from replayed r) and b.paused_until > :now`

const replay = defineStatement(
  'deliveries.replay',
  { org_id: uuid, job_id: uuid, now: time },
  {},
  `with replayed as (
     update outbox o set ${RESET_FOR_REPLAY} where o.org_id = :org_id and o.job_id = :job_id
     returning o.target_id
   )
   ${END_PAUSES}`,
)

/** Call `lockDelivery` before. */
export async function replayDelivery(
  db: Db,
  org_id: string,
  delivery: { job_id: string; now: Date },
): Promise<void> {
  await db.run(replay, { org_id, ...delivery })
}

const replayRange = defineStatement(
  'deliveries.replay_range',
  {
    org_id: uuid,
    not_before_id: uuid,
    before_id: uuid,
    from_at: time,
    to_at: time,
    status: nullable(text),
    number: nullable(int),
    notification_type: nullable(text),
    max: count,
    now: time,
  },
  { found: count, replayed: count },
  `with picked as materialized (
     select o.job_id from outbox o
     left join notifications n on n.org_id = o.org_id and n.notification_id = o.notification_id
     left join notification_targets t on t.org_id = o.org_id and t.target_id = o.target_id
     where o.org_id = :org_id and o.event_type is not null
       and o.job_id >= :not_before_id and o.job_id < :before_id
       and o.created_at >= :from_at and o.created_at <= :to_at
       and o.finished_at is not null and (:status::text is null or ${STATUS} = :status)
       and (:number::int is null or n.number = :number)
       and (:notification_type::text is null or o.notification_type = :notification_type)
       and (o.target_id is null or (t.removed_at is null and n.deleted_at is null))
     order by o.job_id
   ), replayed as (
     update outbox o set ${RESET_FOR_REPLAY}
     -- An array, so that the index finds each row. A join would scan the rows of the org once per delivery.
     where o.org_id = :org_id and o.finished_at is not null and o.job_id = any (array(
       select p.job_id from picked p where (select count(*) from picked) <= :max))
     returning o.job_id, o.target_id
   ), probed as (
     ${END_PAUSES}
   )
   select (select count(*) from picked) as found, (select count(*) from replayed) as replayed`,
)

export type ReplayRange = Omit<ParamsOf<typeof replayRange>, 'org_id'>

/** Replays nothing if there are more than `max`. */
export async function replayDeliveries(
  db: Db,
  org_id: string,
  range: ReplayRange,
): Promise<{ found: number; replayed: number }> {
  const [done] = await db.run(replayRange, { org_id, ...range })
  return done ?? { found: 0, replayed: 0 }
}
