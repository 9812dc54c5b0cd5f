// The outbox: work to do after a commit, stored by that commit. Jobs are claimed under a numbered lease; only the
// holder of the current number may finish a job, so a paused worker cannot finish a job that another one took over.
import type { Database, Db } from '../db/database.ts'
import { isThawed } from '../db/frozen-orgs.ts'
import {
  defineStatement,
  int,
  json,
  nullable,
  type ParamsOf,
  type RowOf,
  readsWholeDatabase,
  text,
  time,
  uuid,
} from '../db/statement.ts'
import { selectSponsor } from '../db/turns.ts'
import type { EventType, Notice } from '../domain/notification/notice.ts'
import { stringifyInChunks } from '../lib/yield-to-event-loop.ts'

const PORTION = 500

const put = defineStatement(
  'outbox.put',
  { org_id: uuid, job_id: uuid, kind: text, payload: json<unknown>(), now: time },
  {},
  `insert into outbox (org_id, job_id, kind, payload, created_at, due_at)
   values (:org_id, :job_id, :kind, :payload::jsonb, :now, :now)`,
)

/** Call it in the transaction that makes the work necessary. */
export async function enqueue(
  db: Db,
  org_id: string,
  job: { job_id: string; kind: string; payload: unknown; now: Date },
): Promise<void> {
  await db.run(put, { org_id, ...job })
}

/** A message to one target, or to one derived recipient. */
export interface NewDelivery {
  job_id: string
  event_type: EventType
  notification_id: string | null
  notification_type: string | null
  target_id: string | null
  payload: DeliveryPayload
}

export interface DeliveryPayload {
  notice: Notice
  /** The mail address of a derived recipient. */
  to?: string
  /** Requested by a user: it is attempted even if the target is switched off. */
  is_replay?: boolean
}

const putDeliveries = defineStatement(
  'outbox.put_deliveries',
  { org_id: uuid, deliveries: text, kind: text, now: time },
  {},
  `insert into outbox (org_id, job_id, kind, payload, created_at, due_at, event_type, notification_id,
                       notification_type, target_id)
   select :org_id, d.job_id, :kind, d.payload, :now::timestamptz, :now::timestamptz, d.event_type, d.notification_id,
     d.notification_type, d.target_id
   from jsonb_to_recordset(:deliveries::text::jsonb) as d(job_id uuid, payload jsonb, event_type text, notification_id uuid,
     notification_type text, target_id uuid)`,
)

export const DELIVERY_JOB = 'delivery'

/** Call it in the transaction that makes the messages necessary. One statement, whatever their number. */
export async function enqueueDeliveries(
  db: Db,
  org_id: string,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = await stringifyInChunks(deliveries, PORTION)
  await db.run(putDeliveries, { org_id, deliveries: rows, kind: DELIVERY_JOB, now })
}

/** The `queue_id` of jobs without a target; for the others it is the target. */
const NO_TARGET = "'00000000-0000-0000-0000-000000000000'::uuid"

// Selects by the state of the row, never by "id above the last one seen": ids are not in the order of commits. It
// steps from target to target along the index and reads no more rows of each than it claims: ten thousand jobs
// waiting for a hanging target cost the others nothing. In an organization, failing targets come last. A paused
// target gets nothing until its pause ends, and then one job, the probe: the breaker is locked first, so that no
// other worker takes a second one. A leased job becomes due when its lease expires. Sponsors take turns. The places of
// one are divided among its organizations; what they leave over is for the next claim.
const claim = defineStatement(
  'outbox.claim',
  {
    now: time,
    lease_until: time,
    limit: int,
    max_per_sponsor: int,
    busy: json<Readonly<Record<string, number>>>(),
    busy_orgs: json<Readonly<Record<string, number>>>(),
    max_per_target: int,
    busy_targets: json<Readonly<Record<string, number>>>(),
    /** No second probe before this time, even if the worker that runs the first one dies. */
    probe_until: time,
  },
  {
    org_id: uuid,
    job_id: uuid,
    kind: text,
    payload: json<unknown>(),
    attempts: int,
    lease_no: int,
    created_at: time,
    event_type: nullable(text),
    notification_id: nullable(uuid),
    notification_type: nullable(text),
    target_id: nullable(uuid),
    sponsor: text,
  },
  `with recursive targets_with_work as (
     (select o.org_id, o.queue_id, o.due_at from outbox o
      where o.finished_at is null
      order by o.org_id, o.queue_id, o.due_at
      limit 1)
     union all
     select next.org_id, next.queue_id, next.due_at
     from targets_with_work w
     cross join lateral (
       select o.org_id, o.queue_id, o.due_at from outbox o
       where o.finished_at is null and (o.org_id, o.queue_id) > (w.org_id, w.queue_id)
       order by o.org_id, o.queue_id, o.due_at
       limit 1
     ) next
   ), probes as materialized (
     select b.org_id, b.target_id from delivery_breakers b
     where b.paused_until <= :now
     for no key update skip locked
   ), ready as materialized (
     select w.org_id, w.queue_id, w.due_at, b.failures,
       case when w.queue_id = ${NO_TARGET} then :max_per_sponsor::int
         else least(case when b.paused_until is null then :max_per_target::int else 1 end,
           :max_per_target::int - coalesce((:busy_targets::jsonb ->> w.queue_id::text)::int, 0)) end as places
     from targets_with_work w
     left join delivery_breakers b on b.org_id = w.org_id and b.target_id = w.queue_id
     where w.due_at <= :now and ${isThawed('w.org_id')} and (b.paused_until is null
       or (b.org_id, b.target_id) in (select p.org_id, p.target_id from probes p))
   ), ready_orgs as materialized (
     select r.org_id, min(r.due_at) as due_at, ${selectSponsor('r.org_id')} as sponsor
     from ready r
     group by r.org_id
   ), turns as (
     select r.sponsor, count(*) as orgs,
       greatest(:max_per_sponsor::int - coalesce((:busy::jsonb ->> r.sponsor)::int, 0), 0) as places
     from ready_orgs r
     group by r.sponsor
     order by min(r.due_at), r.sponsor
   ), due as materialized (
     select job.row_id, job.org_id, job.job_id, job.target_id, t.sponsor
     from turns t
     cross join lateral (
       select own.row_id, own.org_id, own.job_id, own.target_id
       from (
         select r.org_id from ready_orgs r
         where r.sponsor = t.sponsor
         order by coalesce((:busy_orgs::jsonb ->> r.org_id::text)::int, 0), r.due_at, r.org_id
       ) w
       cross join lateral (
         select o.row_id, o.org_id, o.job_id, o.target_id
         from (
           select r.org_id, r.queue_id, r.places from ready r
           where r.org_id = w.org_id
           order by r.failures nulls first, r.due_at, r.queue_id
         ) r
         cross join lateral (
           select o.ctid as row_id, o.org_id, o.job_id, o.target_id from outbox o
           where o.org_id = r.org_id and o.queue_id = r.queue_id and o.finished_at is null and o.due_at <= :now
           order by o.due_at
           limit greatest(r.places, 0)
           for update skip locked
         ) o
         limit (t.places + t.orgs - 1) / t.orgs
       ) own
       limit t.places
     ) job
     limit :limit::int
   ), probing as (
     update delivery_breakers b set paused_until = :probe_until, probe_job_id = due.job_id
     from probes p join due on due.org_id = p.org_id and due.target_id = p.target_id
     where b.org_id = p.org_id and b.target_id = p.target_id
   )
   update outbox o
   set lease_until = :lease_until, due_at = :lease_until, lease_no = o.lease_no + 1, attempts = o.attempts + 1
   -- The rows are locked, so they stay where they are. A join would read the whole outbox.
   where o.ctid = any (array(select due.row_id from due))
   returning o.org_id, o.job_id, o.kind, o.payload, o.attempts, o.lease_no, o.created_at, o.event_type,
     o.notification_id, o.notification_type, o.target_id,
     (select due.sponsor from due where due.org_id = o.org_id and due.job_id = o.job_id) as sponsor`,
  readsWholeDatabase('looks at each target with work once, because sponsors take turns'),
)

export type Job = RowOf<typeof claim>

/**
 * Claims at most `max_per_sponsor` jobs per sponsor and `max_per_target` per target, including the `busy` ones; the
 * sponsor that has waited longest comes first.
 */
export function claimJobs(db: Database, request: ParamsOf<typeof claim>): Promise<Job[]> {
  return db.runOnce({ worker: true }, claim, request)
}

const extend = defineStatement(
  'outbox.extend',
  { leased: json<readonly Pick<Job, 'org_id' | 'job_id' | 'lease_no'>[]>(), lease_until: time },
  { org_id: uuid, job_id: uuid, lease_no: int },
  `update outbox o
   set lease_until = :lease_until, due_at = :lease_until
   from jsonb_to_recordset(:leased::jsonb) as h(org_id uuid, job_id uuid, lease_no int)
   where o.org_id = h.org_id and o.job_id = h.job_id and o.lease_no = h.lease_no and o.lease_until is not null
     and ${isThawed('o.org_id')}
   returning o.org_id, o.job_id, o.lease_no`,
)

/** Returns the jobs whose lease is still valid and was extended. */
export async function extendLeases(
  db: Database,
  jobs: readonly Job[],
  lease_until: Date,
): Promise<readonly Job[]> {
  const leased = jobs.map(({ org_id, job_id, lease_no }) => ({ org_id, job_id, lease_no }))
  const kept = await db.runOnce({ worker: true }, extend, { leased, lease_until })
  const formatKey = (job: (typeof leased)[number]) => `${job.org_id} ${job.job_id} ${job.lease_no}`
  const keys = new Set(kept.map(formatKey))
  return jobs.filter(job => keys.has(formatKey(job)))
}

const removeFinished = defineStatement(
  'outbox.remove_finished',
  { before: time, max: int },
  { job_id: uuid },
  `with old as materialized (
     select o.org_id, o.job_id from outbox o
     where o.finished_at < :before and ${isThawed('o.org_id')}
     order by o.finished_at
     limit :max::int
     for update skip locked
   )
   delete from outbox o using old where o.org_id = old.org_id and o.job_id = old.job_id
   returning o.job_id`,
)

/** Returns the number of removed jobs. Their attempt logs are removed too. */
export async function removeFinishedJobs(db: Database, before: Date, max: number): Promise<number> {
  return (await db.runOnce({ worker: true }, removeFinished, { before, max })).length
}
