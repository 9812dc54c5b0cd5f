// The statements behind the streams of changes: the sizes of the logs, their newest leaves, and the two changes that
// no log records: reports without changes, and finished deliveries.
import { type Database, makeStep } from '../db/database.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsPage,
  readsWholeDatabase,
  text,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'

const heads = defineStatement(
  'live.heads',
  { org_ids: uuids },
  { org_id: uuid, epoch: int, size: count },
  'select org_id, epoch, size from log_heads where org_id = any (:org_ids)',
)

export type HeadOfOrg = RowOf<typeof heads>

/** One statement for all organizations. Organizations without events have no head. */
export function readHeads(db: Database, org_ids: readonly string[]): Promise<HeadOfOrg[]> {
  return db.runOnce({ worker: true }, heads, { org_ids: [...org_ids] })
}

const changes = defineStatement(
  'live.changes',
  { org_id: uuid, epoch: int, from: count, limit: int },
  {
    seq: count,
    kind: text,
    flow: nullable(text),
    trail: nullable(text),
    environment: nullable(text),
    policy: nullable(text),
    control: nullable(text),
    artifact: nullable(text),
  },
  `select l.seq, l.kind, f.name as flow, t.name as trail, v.name as environment, p.name as policy,
     c.identifier as control, e.data ->> 'artifact_fingerprint' as artifact
   from (
     select seq, kind, event_id from log_leaves
     where org_id = :org_id and epoch = :epoch and seq >= :from order by seq limit :limit::int
   ) l
   left join events e on e.org_id = :org_id and e.event_id = l.event_id
   left join flows f on f.org_id = :org_id and f.flow_id = e.flow_id
   left join trails t on t.org_id = :org_id and t.trail_id = e.trail_id
   left join environments v on v.org_id = :org_id and v.environment_id = e.environment_id
   left join policies p on p.org_id = :org_id and p.policy_id = e.policy_id
   left join controls c on c.org_id = :org_id and c.control_id = e.control_id
   order by l.seq`,
  readsPage,
)

export type LoggedChange = RowOf<typeof changes>

/** The subjects of the leaves from a number on, by their current names, in order. */
export function readChanges(
  db: Database,
  org_id: string,
  range: { epoch: number; from: number; limit: number },
): Promise<LoggedChange[]> {
  return db.runOnce({ org_id }, changes, { org_id, ...range })
}

const reports = defineStatement(
  'live.reports',
  { org_ids: uuids, since: time },
  { org_id: uuid, environment: text, reported_at: nullable(time) },
  `select org_id, name as environment, last_reported_at as reported_at from environments
   where org_id = any (:org_ids) and last_reported_at >= :since`,
  readsWholeDatabase('an index by the time of the report would have to be written with every report'),
)

const deliveries = defineStatement(
  'live.deliveries',
  { org_ids: uuids, since: time, limit: int },
  { org_id: uuid, job_id: uuid },
  `select org_id, job_id from (
     select org_id, job_id, event_type from outbox where finished_at >= :since order by finished_at desc limit :limit::int
   ) finished
   where event_type is not null and org_id = any (:org_ids)`,
  readsPage,
)

export interface Unlogged {
  reports: RowOf<typeof reports>[]
  deliveries: RowOf<typeof deliveries>[]
}

/** Changes since a time that no log records, in all these organizations. */
export async function readUnlogged(
  db: Database,
  org_ids: readonly string[],
  since: Date,
  limit: number,
): Promise<Unlogged> {
  const [reported, delivered] = await db.runBatch({ worker: true }, [
    makeStep(reports, { org_ids: [...org_ids], since }),
    makeStep(deliveries, { org_ids: [...org_ids], since, limit }),
  ])
  return { reports: reported as Unlogged['reports'], deliveries: delivered as Unlogged['deliveries'] }
}
