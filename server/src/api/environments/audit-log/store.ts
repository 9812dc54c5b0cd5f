// The statements behind the audit log: they resolve the names of the filter and read events page by page. Each page
// continues after the last event of the one before (keyset paging), so the thousandth page costs as much as the first.
import { computeFirst } from '../../../db/compute-first.ts'
import type { Database } from '../../../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'
import type { Reason } from '../../../domain/policy/decision.ts'

const named = defineStatement(
  'audit_log.named',
  { org_id: uuid, flow_names: texts, repo_names: texts },
  { flow_ids: uuids, repo_ids: uuids },
  `select array(
     select resolved.flow_id from unnest(:flow_names::text[]) as wanted(name)
     cross join lateral (
       select coalesce(flow_named(:org_id, wanted.name), (
         -- Events from before a flow was archived can still be found by its name.
         select f.flow_id from flows f where f.org_id = :org_id and f.name = wanted.name)) as flow_id
       offset 0
     ) resolved
     where resolved.flow_id is not null) as flow_ids,
   array(
     select r.repo_id from unnest(:repo_names::text[]) as wanted(name)
     join repos r on r.org_id = :org_id and r.name = wanted.name) as repo_ids`,
)

/** Resolves names to ids; unknown names are left out. */
export async function findIdsByNames(
  db: Database,
  org_id: string,
  names: { flow_names: string[]; repo_names: string[] },
): Promise<RowOf<typeof named>> {
  const [found] = await db.runOnce({ org_id }, named, { org_id, ...names })
  return found ?? { flow_ids: [], repo_ids: [] }
}

const portion = defineStatement(
  'audit_log.portion',
  {
    org_id: uuid,
    environment_ids: uuids,
    from_at: nullable(time),
    to_at: time,
    types: nullable(texts),
    flow_ids: nullable(uuids),
    with_unknown: bool,
    repo_ids: nullable(uuids),
    after_time: text,
    after_index: int,
    after_key: text,
    after_environment: uuid,
    limit: int,
  },
  {
    environment_id: uuid,
    environment_name: text,
    snapshot_index: int,
    artifact_key: text,
    happened_at: time,
    /** With microseconds, which a JavaScript date cannot represent. */
    exact_time: text,
    type: text,
    fingerprint: text,
    artifact_name: text,
    was: int,
    now: int,
    artifact_compliance: nullable(bool),
    snapshot_compliance: nullable(bool),
    code_diff: nullable(text),
    flow_names: texts,
    repo_names: texts,
    reasons: json<Reason[]>(),
  },
  `select e.environment_id,
     (select v.name from environments v where v.org_id = :org_id and v.environment_id = e.environment_id)
       as environment_name, e.snapshot_index, e.artifact_key, e.happened_at,
     e.happened_at::text as exact_time, e.type, e.fingerprint, e.artifact_name, e.was, e.now, e.artifact_compliance,
     e.snapshot_compliance, e.code_diff,
     array(select (select f.name from flows f where f.org_id = :org_id and f.flow_id = known.flow_id)
           from unnest(e.flow_ids) with ordinality as known(flow_id, place) order by known.place) as flow_names,
     array(select (select r.name from repos r where r.org_id = :org_id and r.repo_id = known.repo_id)
           from unnest(e.repo_ids) with ordinality as known(repo_id, place) order by known.place) as repo_names,
     coalesce(verdict.reasons, '[]') as reasons
   from (
     select x.* from unnest(:environment_ids::uuid[]) as wanted(environment_id)
     cross join lateral (
       select y.* from environment_events y
       where y.org_id = :org_id and y.environment_id = wanted.environment_id
         and (y.happened_at, y.snapshot_index, y.artifact_key)
           >= (:after_time::text::timestamptz, :after_index::int, :after_key::text)
         and ((y.happened_at, y.snapshot_index, y.artifact_key)
           <> (:after_time::text::timestamptz, :after_index::int, :after_key::text)
           or y.environment_id > :after_environment::uuid)
         and (:from_at::timestamptz is null or y.happened_at >= :from_at) and y.happened_at <= :to_at
         and (:types::text[] is null or y.type = any (:types))
         and (:flow_ids::uuid[] is null or y.flow_ids && :flow_ids or (:with_unknown::boolean and y.flow_ids = '{}'))
         and (:repo_ids::uuid[] is null or y.repo_ids && :repo_ids)
       order by y.happened_at, y.snapshot_index, y.artifact_key
       limit :limit::int
     ) x
     order by x.happened_at, x.snapshot_index, x.artifact_key, x.environment_id
     limit :limit::int
   ) e
   left join lateral (
     -- The verdict in force in this snapshot; for an artifact that exited, the last one before the exit.
     select candidate.reasons from (
       (select w.from_index, w.evaluation -> 'reasons' as reasons from verdicts w
        where w.org_id = :org_id and w.environment_id = e.environment_id and w.artifact_key = e.artifact_key
          and w.to_index >= ${computeFirst("e.snapshot_index + (e.type <> 'exited')::int")}
        order by w.to_index limit 1)
       union all
       (select w.from_index, w.evaluation -> 'reasons' from verdicts w
        where w.org_id = :org_id and w.environment_id = e.environment_id and w.artifact_key = e.artifact_key
          and w.to_index is null limit 1)
     ) candidate
     where e.artifact_compliance = false and candidate.from_index <= e.snapshot_index
     order by candidate.from_index desc limit 1
   ) verdict on true
   order by e.happened_at, e.snapshot_index, e.artifact_key, e.environment_id`,
)

export type AuditLogRow = RowOf<typeof portion>

export interface AuditLogFilter {
  environment_ids: string[]
  from_at: Date | null
  to_at: Date
  types: string[] | null
  flow_ids: string[] | null
  /** Also include artifacts that were not reported to any flow. */
  with_unknown: boolean
  repo_ids: string[] | null
}

const START = {
  after_time: '-infinity',
  after_index: 0,
  after_key: '',
  after_environment: '00000000-0000-0000-0000-000000000000',
}

/** The next events, oldest first: those after `last`, or the first ones. */
export function listEventsAfter(
  db: Database,
  org_id: string,
  filter: AuditLogFilter,
  last: AuditLogRow | undefined,
  limit: number,
): Promise<AuditLogRow[]> {
  const after = last
    ? {
        after_time: last.exact_time,
        after_index: last.snapshot_index,
        after_key: last.artifact_key,
        after_environment: last.environment_id,
      }
    : START
  return db.runOnce({ org_id }, portion, { org_id, ...filter, ...after, limit })
}
