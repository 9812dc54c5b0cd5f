// Records the outcome of an attempt in one statement: the job, the log, the target and the configuration. A worker
// that lost the lease changes none of them.
import { type Database, type Db, makeStep } from '../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  time,
  uuid,
} from '../db/statement.ts'

// Results may be stored in another order than they occurred. The latest one by the clock determines the state of a
// target; of two at the same time, the one stored last. The configuration is locked before the target, as everywhere
// else. A receiver that responds closes the breaker whatever its state was (`decideBreaker`), and messages to a
// switched-off target must not wait for a probe.
const settle = defineStatement(
  'outbox.settle',
  {
    org_id: uuid,
    job_id: uuid,
    lease_no: int,
    attempts: int,
    now: time,
    error: nullable(text),
    /** Null if the job is finished. */
    due_at: nullable(time),
    forgets_payload: bool,
    /** Why a finished job was not sent. */
    suppressed: nullable(text),
    /** Whether something was attempted: only then are the log, the target and the configuration updated. */
    counts: bool,
    duration_ms: int,
    status: nullable(int),
    answer: nullable(text),
    /** Whether the receiver responded: the target then no longer has a breaker. */
    is_reached: bool,
    switches_off: bool,
    /** A target that has been failing since then or longer is switched off. */
    failing_too_long: time,
  },
  { is_counted: bool, is_switched_off: bool, is_resumed: bool },
  `with mine as (
     update outbox o
     set attempts = :attempts, last_error = :error, lease_until = null, due_at = coalesce(:due_at, o.due_at),
       finished_at = case when :due_at::timestamptz is null then :now::timestamptz end, suppressed = :suppressed,
       payload = case when :forgets_payload and :due_at::timestamptz is null then '{}' else o.payload end
     where o.org_id = :org_id and o.job_id = :job_id and o.lease_no = :lease_no and o.lease_until is not null
     returning o.org_id, o.job_id, o.lease_no, o.event_type, o.notification_type, o.target_id,
       case when :error::text is null then :now::timestamptz end as succeeded_at,
       case when :error::text is not null then :now::timestamptz end as failed_at
   ), logged as (
     insert into delivery_attempts (org_id, job_id, lease_no, attempted_at, duration_ms, error, status, answer)
     select m.org_id, m.job_id, m.lease_no, :now, :duration_ms, :error, :status::int, :answer
     from mine m where :counts and m.event_type is not null
   ), noted as (
     insert into notification_configs as c (org_id, notification_type, last_notified_at, last_failed_at, last_error)
     select m.org_id, m.notification_type, m.succeeded_at, m.failed_at, :error
     from mine m where :counts and m.notification_type is not null
     on conflict (org_id, notification_type) do update
     set last_notified_at = greatest(c.last_notified_at, excluded.last_notified_at),
       last_failed_at = greatest(c.last_failed_at, excluded.last_failed_at),
       last_error = case when excluded.last_failed_at < c.last_failed_at or excluded.last_failed_at is null
         then c.last_error else excluded.last_error end
     returning c.org_id
   ), locked as (
     select t.target_id, t.last_success_at, t.last_failure_at, t.failing_since, t.switched_off_at, t.removed_at
     from notification_targets t
     where :counts and (select count(*) from noted) >= 0
       and t.org_id = :org_id and t.target_id = (select m.target_id from mine m)
     for no key update
   ), health as (
     select h.target_id, h.switched_off_at, h.removed_at, m.succeeded_at, m.failed_at,
       coalesce(greatest(h.last_success_at, h.last_failure_at) > :now, false) as is_late,
       case
         when m.failed_at < h.last_success_at then h.failing_since
         when m.failed_at is not null then least(h.failing_since, m.failed_at)
         when h.failing_since > m.succeeded_at then h.failing_since
         when h.failing_since is not null and h.last_failure_at > m.succeeded_at then h.last_failure_at
       end as failing_since
     from locked h cross join mine m
   ), decided as (
     select f.*,
       case
         when f.is_late then f.switched_off_at
         when f.failing_since is null then null
         when f.switched_off_at is null and f.removed_at is null
           and (:switches_off or f.failing_since <= :failing_too_long) then :now::timestamptz
         else f.switched_off_at
       end as off_at
     from health f
   ), updated as (
     update notification_targets t
     set last_success_at = greatest(t.last_success_at, j.succeeded_at),
       last_failure_at = greatest(t.last_failure_at, j.failed_at),
       last_error = case when j.failed_at < t.last_failure_at or j.failed_at is null
         then t.last_error else :error end,
       failing_since = j.failing_since,
       switched_off_at = j.off_at
     from decided j
     where t.org_id = :org_id and t.target_id = (select h.target_id from locked h)
     returning j.off_at is not null and j.switched_off_at is null as is_switched_off
   ), closed as (
     delete from delivery_breakers b
     where b.org_id = :org_id and b.target_id = (select m.target_id from mine m)
       and (:is_reached or (select u.is_switched_off from updated u))
     returning b.paused_until
   )
   select exists (select from mine) as is_counted,
     coalesce((select is_switched_off from updated), false) as is_switched_off,
     :is_reached and exists (select from closed where paused_until is not null) as is_resumed`,
)

export type Settlement = ParamsOf<typeof settle>
export type Settled = RowOf<typeof settle>

/** Runs as a batch of one, because a batch is retried after a deadlock. */
export async function settleAlone(db: Database, settlement: Settlement): Promise<Settled> {
  const [rows] = await db.runBatch({ org_id: settlement.org_id }, [makeStep(settle, settlement)])
  return toSettled(rows as Settled[])
}

export async function settleInTransaction(tx: Db, settlement: Settlement): Promise<Settled> {
  return toSettled(await tx.run(settle, settlement))
}

function toSettled([row]: readonly Settled[]): Settled {
  return row ?? { is_counted: false, is_switched_off: false, is_resumed: false }
}
