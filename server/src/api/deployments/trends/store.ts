// The statements that count deployments, their lead times and their failures over time. Each filter has its own
// statement, because each uses a different index. Only a limited number of the newest deployments is examined.
import type { Db } from '../../../db/database.ts'
import {
  count,
  defineStatement,
  float,
  int,
  nullable,
  plannedEachTime,
  type RowOf,
  readsPage,
  time,
  times,
  uuid,
  uuids,
} from '../../../db/statement.ts'

const FIGURES = {
  /** Counted from 1; null for all of them together. Empty buckets are left out. */
  bucket: nullable(int),
  deployments: count,
  lead_times: count,
  lead_time_p50: nullable(float),
  lead_time_p90: nullable(float),
  non_compliant: count,
  rolled_back: count,
  failed: count,
  unknown: count,
  /** Time of the oldest examined deployment. */
  first_at: time,
}

const PERIOD = {
  org_id: uuid,
  from_at: time,
  to_at: time,
  /** The start of each bucket. */
  starts: times,
  max_examined: int,
}

const IN_PERIOD = 'x.deployed_at >= :from_at and x.deployed_at <= :to_at'
const NEWEST = 'order by x.deployed_at desc limit :max_examined::int'

/** How many of the next deployments in the same place may be a replacement: several images may share a place. */
const NEXT_EXAMINED = 20

/**
 * A deployment was rolled back if it was replaced by an artifact that had run in its place before. `is_compliant` is
 * the verdict on the artifact in the snapshot in which it started.
 */
const buildFigures = (chosen: string) => `
   with chosen as materialized (${chosen}), known as (
     select width_bucket(d.deployed_at, :starts::timestamptz[]) as bucket, d.deployed_at, d.lead_time_seconds,
       (select v.artifact_compliance from environment_events v
        where v.org_id = :org_id and v.environment_id = d.environment_id and v.snapshot_index = d.snapshot_index
          and v.artifact_key = d.artifact_key) as is_compliant,
       coalesce((
         select true
         from (
           select x.artifact_key, x.deployed_at, x.replaced from deployments x
           where x.org_id = :org_id and x.environment_id = d.environment_id and x.flow_id = d.flow_id
             and x.flow_id is not null and x.template_reference_name = d.template_reference_name
             and x.snapshot_index > d.snapshot_index
           order by x.snapshot_index limit ${NEXT_EXAMINED}
         ) n
         where n.replaced ->> 'previous_fingerprint' = d.fingerprint
           and exists (
             select from deployments o
             where o.org_id = :org_id and o.artifact_key = n.artifact_key and o.environment_id = d.environment_id
               and o.deployed_at < d.deployed_at)
         limit 1), false) as is_rolled_back
     from chosen d
   )
   select bucket, count(*) as deployments, count(lead_time_seconds) as lead_times,
     percentile_cont(0.5) within group (order by lead_time_seconds) as lead_time_p50,
     percentile_cont(0.9) within group (order by lead_time_seconds) as lead_time_p90,
     count(*) filter (where is_compliant is false) as non_compliant,
     count(*) filter (where is_rolled_back) as rolled_back,
     count(*) filter (where is_compliant is false or is_rolled_back) as failed,
     count(*) filter (where is_compliant is null and not is_rolled_back) as unknown,
     min(deployed_at) as first_at
   from known
   group by grouping sets ((bucket), ())
   having count(*) > 0`

const COLUMNS =
  'x.environment_id, x.snapshot_index, x.artifact_key, x.fingerprint, x.flow_id, x.template_reference_name, x.deployed_at, x.lead_time_seconds'

const ofOrg = defineStatement(
  'deployment_trends.of_org',
  PERIOD,
  FIGURES,
  buildFigures(`select ${COLUMNS} from deployments x
    where x.org_id = :org_id and x.is_primary and ${IN_PERIOD} ${NEWEST}`),
  plannedEachTime(readsPage),
)

const ofEnvironments = defineStatement(
  'deployment_trends.of_environments',
  { ...PERIOD, environment_ids: uuids },
  FIGURES,
  buildFigures(`select ${COLUMNS} from unnest(:environment_ids::uuid[]) as wanted(environment_id)
    cross join lateral (
      select x.* from deployments x
      where x.org_id = :org_id and x.environment_id = wanted.environment_id and x.is_primary and ${IN_PERIOD} ${NEWEST}
    ) x ${NEWEST}`),
  plannedEachTime(readsPage),
)

const ofFlow = defineStatement(
  'deployment_trends.of_flow',
  { ...PERIOD, flow_id: uuid, environment_ids: nullable(uuids) },
  FIGURES,
  buildFigures(`select ${COLUMNS} from deployments x
    where x.org_id = :org_id and x.flow_id = :flow_id and x.flow_id is not null and ${IN_PERIOD}
      and (:environment_ids::uuid[] is null or x.environment_id = any (:environment_ids)) ${NEWEST}`),
  plannedEachTime(readsPage),
)

export type TrendRow = RowOf<typeof ofOrg>

export interface TrendFilter {
  from_at: Date
  to_at: Date
  starts: Date[]
  max_examined: number
  /** Null means any. */
  flow_id: string | null
  environment_ids: string[] | null
}

export function readTrends(
  db: Db,
  org_id: string,
  { flow_id, environment_ids, ...period }: TrendFilter,
): Promise<TrendRow[]> {
  if (flow_id !== null) return db.run(ofFlow, { org_id, ...period, flow_id, environment_ids })
  if (environment_ids !== null) return db.run(ofEnvironments, { org_id, ...period, environment_ids })
  return db.run(ofOrg, { org_id, ...period })
}
