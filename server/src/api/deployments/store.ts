// The statements that read deployments. Each filter (environments, flow, neither) has its own statement, because each
// uses a different index. Lists show an artifact that was reported to several flows once, with the data of the first
// flow; the list of one flow uses the data of that flow.
import { computed, toSelectList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  plannedEachTime,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { Replaced } from '../../evaluation/deployments.ts'

// Names come from subqueries: the plan of a join would depend on today's table sizes.
const DEPLOYMENT = {
  deployment_id: uuid,
  environment_name: computed(
    text,
    'select v.name from environments v where v.org_id = :org_id and v.environment_id = d.environment_id',
  ),
  snapshot_index: int,
  fingerprint: text,
  artifact_name: text,
  flow_name: computed(
    nullable(text),
    'select f.name from flows f where f.org_id = :org_id and f.flow_id = d.flow_id',
  ),
  trail_name: computed(
    nullable(text),
    'select t.name from trails t where t.org_id = :org_id and t.trail_id = d.trail_id',
  ),
  template_reference_name: nullable(text),
  git_commit: nullable(text),
  commit_url: nullable(text),
  repo_name: computed(
    nullable(text),
    'select r.name from repos r where r.org_id = :org_id and r.repo_id = d.repo_id',
  ),
  deployed_at: time,
  lead_time_seconds: computed(nullable(json<number>()), 'to_json(d.lead_time_seconds)'),
  replaced: nullable(json<Replaced>()),
  is_running: computed(
    bool,
    `coalesce((
       select true from running_artifacts x
       where x.org_id = :org_id and x.environment_id = d.environment_id and x.artifact_key = d.artifact_key limit 1
     ), false) and coalesce((
       -- If it exited and started again, the later start is a separate deployment.
       select false from deployments x
       where x.org_id = :org_id and x.fingerprint = d.fingerprint and x.deployed_at >= d.deployed_at
         and x.environment_id = d.environment_id and x.artifact_key = d.artifact_key
         and x.snapshot_index > d.snapshot_index limit 1
     ), true)`,
  ),
}

/** Reads the chosen rows. */
const buildSelect = (chosen: string) => `
   select ${toSelectList('d', DEPLOYMENT)}
   from (${chosen}) d
   order by d.deployed_at desc, d.deployment_id desc`

const IN_PERIOD = 'x.deployed_at >= :from_at and x.deployed_at <= :to_at'
const OF_REPO = '(:repo_ids::uuid[] is null or x.repo_id = any (:repo_ids))'
const NEWEST = 'order by x.deployed_at desc, x.deployment_id desc'
const SLICE = 'limit :limit::int offset :offset::bigint'

const PERIOD = { org_id: uuid, from_at: time, to_at: time, repo_ids: nullable(uuids) }
const PAGE = { limit: int, offset: count }

const OF_ORG = `from deployments x where x.org_id = :org_id and x.is_primary and ${IN_PERIOD} and ${OF_REPO}`

const ofOrg = defineStatement(
  'deployments.of_org',
  { ...PERIOD, ...PAGE },
  DEPLOYMENT,
  buildSelect(`select x.* ${OF_ORG} ${NEWEST} ${SLICE}`),
  plannedEachTime(readsWholeOrg('a filter by repository reads on until the page is full')),
)

const countOfOrg = defineStatement(
  'deployments.count_of_org',
  PERIOD,
  { total: count },
  `select count(*) as total ${OF_ORG}`,
  readsWholeOrg('the total of a list counts every deployment of the period'),
)

const OF_ENVIRONMENT = `from deployments x
  where x.org_id = :org_id and x.environment_id = wanted.environment_id and x.is_primary and ${IN_PERIOD}
    and ${OF_REPO}`
const ENVIRONMENTS = 'unnest(:environment_ids::uuid[]) as wanted(environment_id)'

const ofEnvironments = defineStatement(
  'deployments.of_environments',
  { ...PERIOD, ...PAGE, environment_ids: uuids },
  DEPLOYMENT,
  buildSelect(`select x.* from ${ENVIRONMENTS}
    cross join lateral (select x.* ${OF_ENVIRONMENT} ${NEWEST} limit :limit::int + :offset::bigint) x
    ${NEWEST} ${SLICE}`),
)

const countOfEnvironments = defineStatement(
  'deployments.count_of_environments',
  { ...PERIOD, environment_ids: uuids },
  { total: count },
  `select count(*) as total from ${ENVIRONMENTS}
   cross join lateral (select x.deployed_at ${OF_ENVIRONMENT} offset 0) x`,
)

const OF_FLOW = `from deployments x
  where x.org_id = :org_id and x.flow_id = :flow_id and ${IN_PERIOD} and ${OF_REPO}
    and (:environment_ids::uuid[] is null or x.environment_id = any (:environment_ids))`
const FLOW = { ...PERIOD, flow_id: uuid, environment_ids: nullable(uuids) }

const ofFlow = defineStatement(
  'deployments.of_flow',
  { ...FLOW, ...PAGE },
  DEPLOYMENT,
  buildSelect(`select x.* ${OF_FLOW} ${NEWEST} ${SLICE}`),
)

const countOfFlow = defineStatement(
  'deployments.count_of_flow',
  FLOW,
  { total: count },
  `select count(*) as total ${OF_FLOW}`,
)

export type DeploymentRow = RowOf<typeof ofOrg>

export interface DeploymentFilter {
  from_at: Date
  to_at: Date
  /** Null means any. */
  environment_ids: string[] | null
  flow_id: string | null
  repo_ids: string[] | null
}

/** One page of deployments, newest first, and the total count, in one round trip. */
export async function listDeployments(
  db: Db,
  org_id: string,
  filter: DeploymentFilter,
  slice: { limit: number; offset: number },
): Promise<{ rows: DeploymentRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all(runListAndCount(db, { org_id, ...filter }, slice))
  return { rows, total: counted?.total ?? 0 }
}

function runListAndCount(
  db: Db,
  { environment_ids, flow_id, ...period }: DeploymentFilter & { org_id: string },
  slice: { limit: number; offset: number },
): [Promise<DeploymentRow[]>, Promise<{ total: number }[]>] {
  if (flow_id !== null) {
    const filter = { ...period, flow_id, environment_ids }
    return [db.run(ofFlow, { ...filter, ...slice }), db.run(countOfFlow, filter)]
  }
  if (environment_ids !== null) {
    const filter = { ...period, environment_ids }
    return [db.run(ofEnvironments, { ...filter, ...slice }), db.run(countOfEnvironments, filter)]
  }
  return [db.run(ofOrg, { ...period, ...slice }), db.run(countOfOrg, period)]
}

const OF_ARTIFACT = `from deployments x
    where x.org_id = :org_id and x.fingerprint >= :prefix and x.fingerprint < :prefix || 'g' and x.is_primary
      and x.environment_id = any (:environment_ids::uuid[])`
const ARTIFACT_FILTER = { org_id: uuid, prefix: text, environment_ids: uuids }

const ofArtifact = defineStatement(
  'deployments.of_artifact',
  { ...ARTIFACT_FILTER, limit: int, offset: count },
  DEPLOYMENT,
  buildSelect(`select x.* ${OF_ARTIFACT} ${NEWEST} ${SLICE}`),
)

const countOfArtifact = defineStatement(
  'deployments.count_of_artifact',
  ARTIFACT_FILTER,
  { total: count, artifacts: count },
  `select count(*) as total, count(distinct x.fingerprint) as artifacts ${OF_ARTIFACT}`,
)

/** Deployments of all artifacts that match a fingerprint prefix, newest first, and how many artifacts match. */
export async function listArtifactDeployments(
  db: Db,
  org_id: string,
  filter: { prefix: string; environment_ids: string[] },
  slice: { limit: number; offset: number },
) {
  const [rows, [counted]] = await Promise.all([
    db.run(ofArtifact, { org_id, ...filter, ...slice }),
    db.run(countOfArtifact, { org_id, ...filter }),
  ])
  return { rows, total: counted?.total ?? 0, artifacts: counted?.artifacts ?? 0 }
}

const STARTS = `
     select x.deployed_at, x.lead_time_seconds from ${ENVIRONMENTS}
     cross join lateral (
       select y.* from deployments y
       where y.org_id = :org_id and y.environment_id = wanted.environment_id and y.is_primary
         and y.deployed_at >= :from_at and y.deployed_at <= :to_at
       offset 0
     ) x
     where :flow_id::uuid is null
     union all
     select x.deployed_at, x.lead_time_seconds from deployments x
     where x.org_id = :org_id and x.flow_id = :flow_id::uuid and x.deployed_at >= :from_at and x.deployed_at <= :to_at
       and x.environment_id = any (:environment_ids::uuid[])`
const STATISTICS = {
  org_id: uuid,
  environment_ids: uuids,
  flow_id: nullable(uuid),
  from_at: time,
  to_at: time,
}

const perDay = defineStatement(
  'deployments.per_day',
  STATISTICS,
  { day: text, count },
  `select to_char(s.deployed_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as count
   from (${STARTS}) s group by 1 order by 1`,
)

const leadTimes = defineStatement(
  'deployments.lead_times',
  STATISTICS,
  { p50: nullable(json<number>()), p90: nullable(json<number>()), p99: nullable(json<number>()) },
  `select to_json(percentile_cont(0.5) within group (order by s.lead_time_seconds)) as p50,
     to_json(percentile_cont(0.9) within group (order by s.lead_time_seconds)) as p90,
     to_json(percentile_cont(0.99) within group (order by s.lead_time_seconds)) as p99
   from (${STARTS}) s`,
)

/** Deployments per day and lead times, in one round trip. */
export async function readDeploymentStatistics(
  db: Db,
  org_id: string,
  filter: { environment_ids: string[]; flow_id: string | null; from_at: Date; to_at: Date },
) {
  const [days, [times]] = await Promise.all([
    db.run(perDay, { org_id, ...filter }),
    db.run(leadTimes, { org_id, ...filter }),
  ])
  return { days, lead_time: times ?? { p50: null, p90: null, p99: null } }
}

const flowById = defineStatement(
  'deployments.flow_by_id',
  { org_id: uuid, flow_id: uuid },
  { flow_id: uuid },
  'select flow_id from flows where org_id = :org_id and flow_id = :flow_id and archived_at is null',
)

export async function flowExists(db: Db, org_id: string, flow_id: string): Promise<boolean> {
  return (await db.run(flowById, { org_id, flow_id })).length > 0
}
