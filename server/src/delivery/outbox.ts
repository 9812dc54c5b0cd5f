// The outbox: work to do after a commit, stored by that commit. Claimed under a lease with a number; only the holder
// of the current number may finish a job, so a worker that was paused cannot complete what another took over.
import type { Database, Db } from '../db/database.ts'
import { count, int, json, nullable, type RowOf, statement, text, time, uuid } from '../db/statement.ts'
import type { EventType, Notice } from '../domain/notification/notice.ts'

const put = statement(
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
}

const putDeliveries = statement(
  'outbox.put_deliveries',
  { org_id: uuid, deliveries: json<readonly NewDelivery[]>(), kind: text, now: time },
  {},
  `insert into outbox (org_id, job_id, kind, payload, created_at, due_at, event_type, notification_id,
                       notification_type, target_id)
   select :org_id, d.job_id, :kind, d.payload, :now::timestamptz, :now::timestamptz, d.event_type, d.notification_id,
     d.notification_type, d.target_id
   from jsonb_to_recordset(:deliveries::jsonb) as d(job_id uuid, payload jsonb, event_type text, notification_id uuid,
     notification_type text, target_id uuid)`,
)

export const DELIVERY_JOB = 'delivery'

/** Call it in the transaction that makes the messages necessary. One statement, however many there are. */
export async function enqueueDeliveries(
  db: Db,
  org_id: string,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (deliveries.length > 0) await db.run(putDeliveries, { org_id, deliveries, kind: DELIVERY_JOB, now })
}

// By the state of the row, never by "id above the last one seen": the order of ids is not the order of commits.
const claim = statement(
  'outbox.claim',
  { now: time, lease_until: time, most: int },
  { org_id: uuid, job_id: uuid, kind: text, payload: json<unknown>(), attempts: int, lease_no: int },
  `update outbox o
   set lease_until = :lease_until, lease_no = o.lease_no + 1, attempts = o.attempts + 1
   from (
     select org_id, job_id from outbox
     where finished_at is null and due_at <= :now and (lease_until is null or lease_until < :now)
     order by due_at
     limit :most::int
     for update skip locked
   ) due
   where o.org_id = due.org_id and o.job_id = due.job_id
   returning o.org_id, o.job_id, o.kind, o.payload, o.attempts, o.lease_no`,
)

export type Job = RowOf<typeof claim>

export function claimJobs(db: Database, now: Date, lease_until: Date, most: number): Promise<Job[]> {
  return db.once({ worker: true }, claim, { now, lease_until, most })
}

const finish = statement(
  'outbox.finish',
  { org_id: uuid, job_id: uuid, lease_no: int, now: time, last_error: nullable(text) },
  { job_id: uuid },
  `update outbox set finished_at = :now, lease_until = null, last_error = :last_error
   where org_id = :org_id and job_id = :job_id and lease_no = :lease_no and finished_at is null
   returning job_id`,
)

/** False when the lease was lost meanwhile: then somebody else's result counts. */
export async function finishJob(
  db: Database,
  job: Job,
  now: Date,
  last_error: string | null,
): Promise<boolean> {
  const { org_id, job_id, lease_no } = job
  const finished = await db.once({ org_id }, finish, { org_id, job_id, lease_no, now, last_error })
  return finished.length > 0
}

const postpone = statement(
  'outbox.postpone',
  { org_id: uuid, job_id: uuid, lease_no: int, due_at: time, attempts: int, last_error: text },
  {},
  `update outbox set due_at = :due_at, attempts = :attempts, lease_until = null, last_error = :last_error
   where org_id = :org_id and job_id = :job_id and lease_no = :lease_no and finished_at is null`,
)

/** Changes nothing when the lease was lost meanwhile. */
export async function postponeJob(
  db: Database,
  job: Job,
  until: { due_at: Date; attempts: number; last_error: string },
): Promise<void> {
  const { org_id, job_id, lease_no } = job
  await db.once({ org_id }, postpone, { org_id, job_id, lease_no, ...until })
}

const backlog = statement(
  'outbox.backlog',
  {},
  { waiting: count, oldest_due_at: nullable(time) },
  'select count(*) as waiting, min(due_at) as oldest_due_at from outbox where finished_at is null',
)

export async function readBacklog(db: Database): Promise<{ waiting: number; oldest_due_at: Date | null }> {
  const [row] = await db.once({ worker: true }, backlog, {})
  return row ?? { waiting: 0, oldest_due_at: null }
}
