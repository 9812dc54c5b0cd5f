// The statements that find which artifacts run in which environments: the environments, the names of what runs there, and
// the versions of those names.
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { EnvironmentState } from '../../domain/snapshot/staleness.ts'
import type { Slice } from '../shared/page.ts'

const COLUMN_FILTER = { environment: nullable(text), tags: nullable(texts) }
const ROW_FILTER = {
  search: nullable(text),
  flow: nullable(text),
  repo: nullable(text),
  state: nullable(text),
  differs: nullable(bool),
  now: time,
}

export interface MatrixFilter {
  /** Part of the name of an environment. */
  environment: string | null
  /** Each is a key or `key:value` of an environment. */
  tags: string[] | null
  /** Part of the name of an artifact. */
  search: string | null
  flow: string | null
  repo: string | null
  state: EnvironmentState | null
  /** Whether its versions differ. */
  differs: boolean | null
  now: Date
}

const COLUMNS = `
  e.org_id = :org_id and e.archived_at is null and e.type <> 'logical'
  and (:environment::text is null or position(lower(:environment) in lower(e.name)) > 0)
  and (:tags::text[] is null or exists (
    select from jsonb_each_text(e.tags) tag where tag.key = any(:tags) or tag.key || ':' || tag.value = any(:tags)))`

// The same as getBaseName of domain/snapshot/replaced.ts; a test compares them.
const BASE_NAME = String.raw`regexp_replace(regexp_replace(r.name, '@sha256:[^\n\r\u2028\u2029]*$', ''), ':[A-Za-z0-9_][A-Za-z0-9_.-]*$', '')`

// The same as computeCurrentState of domain/snapshot/staleness.ts, of an artifact in the environment.
const STATE = `
  case when r.compliant is false then 'non-compliant' when c.stale_at <= :now then 'stale'
       when r.compliant then 'compliant' else 'unknown' end`

const environments = defineStatement(
  'running.environments',
  { org_id: uuid, ...COLUMN_FILTER, limit: nullable(int), offset: count },
  {
    environment_id: uuid,
    name: text,
    type: text,
    state: nullable(bool),
    stale_at: nullable(time),
  },
  `select e.environment_id, e.name, e.type, e.state, e.stale_at from environments e
   where ${COLUMNS} order by e.name limit :limit::int offset :offset::bigint`,
)

const countEnvironments = defineStatement(
  'running.count_environments',
  { org_id: uuid, ...COLUMN_FILTER },
  { total: count },
  `select count(*) as total from environments e where ${COLUMNS}`,
)

/** A name and where it runs, in all environments of the filter and not only in those of the page. */
export interface RunningName {
  name: string
  repos: string[]
  /** The versions that run. */
  artifact_keys: string[]
  environments: number
}

const names = defineStatement(
  'running.names',
  { org_id: uuid, ...COLUMN_FILTER, ...ROW_FILTER, limit: nullable(int), offset: count },
  { total: count, names: json<RunningName[]>() },
  `with columns as materialized (
     select e.environment_id, e.stale_at from environments e where ${COLUMNS}
   ), wanted as materialized (
     select array(select f.flow_id from flows f where f.org_id = :org_id and f.name = :flow) as flow_ids,
            array(select p.repo_id from repos p where p.org_id = :org_id and p.name = :repo) as repo_ids
   ), cells as materialized (
     select ${BASE_NAME} as name, r.artifact_key, r.environment_id, r.repo_ids,
       (:flow::text is null or r.flow_ids && wanted.flow_ids)
         and (:repo::text is null or r.repo_ids && wanted.repo_ids)
         and (:state::text is null or :state = ${STATE}) as is_wanted
     from running_artifacts r join columns c on c.environment_id = r.environment_id cross join wanted
     where r.org_id = :org_id
   ), named as materialized (
     select x.name, array_agg(distinct x.artifact_key) as artifact_keys,
       count(distinct x.environment_id) as environments,
       coalesce(array_agg(distinct built.repo_id) filter (where built.repo_id is not null), '{}') as repo_ids
     from cells x left join lateral unnest(x.repo_ids) as built(repo_id) on true
     where (:search::text is null or position(lower(:search) in lower(x.name)) > 0)
     group by x.name
     having bool_or(x.is_wanted)
       and (:differs::boolean is null or (count(distinct x.artifact_key) > 1) = :differs)
   ), page as (
     select n.name, n.artifact_keys, n.environments, array(
       select p.name from repos p where p.org_id = :org_id and p.repo_id = any (n.repo_ids) order by p.name) as repos
     from (select * from named order by name limit :limit::int offset :offset::bigint) n
   )
   select (select count(*) from named) as total,
     (select coalesce(json_agg(to_json(p) order by p.name), '[]') from page p) as names`,
  readsWholeOrg('names are grouped over everything that runs'),
)

const cells = defineStatement(
  'running.cells',
  { org_id: uuid, environment_ids: uuids, names: texts },
  {
    row_name: text,
    environment_id: uuid,
    artifact_key: text,
    fingerprint: text,
    name: text,
    instance_count: int,
    compliant: nullable(bool),
    flow: nullable(text),
    started_at: nullable(time),
  },
  `select shown.row_name, shown.environment_id, shown.artifact_key, shown.fingerprint, shown.name, shown.instance_count,
     shown.compliant,
     (select f.name from flows f where f.org_id = :org_id and f.flow_id = shown.flow_ids[1]) as flow,
     (select d.deployed_at from deployments d
      where d.org_id = :org_id and d.artifact_key = shown.artifact_key and d.environment_id = shown.environment_id
      order by d.deployed_at desc limit 1) as started_at
   from (
     select ${BASE_NAME} as row_name, r.environment_id, r.artifact_key, r.fingerprint, r.name, r.instance_count,
       r.compliant, r.flow_ids
     from running_artifacts r
     where r.org_id = :org_id and r.environment_id = any (:environment_ids::uuid[])
   ) shown
   where shown.row_name = any (:names::text[])
   order by shown.row_name, shown.environment_id, shown.name, shown.artifact_key`,
  readsWholeOrg('reads everything that runs in the environments of the page'),
)

export type RunningCell = RowOf<typeof cells>

const firstStarts = defineStatement(
  'running.first_starts',
  { org_id: uuid, fingerprints: texts },
  { artifact_key: text, first_started_at: nullable(time) },
  `select wanted.fingerprint as artifact_key, (
     select d.deployed_at from deployments d
     where d.org_id = :org_id and d.fingerprint = wanted.fingerprint order by d.deployed_at limit 1) as first_started_at
   from unnest(:fingerprints::text[]) as wanted(fingerprint)`,
)

export type MatrixColumn = RowOf<typeof environments>

/** One page of environments and one of names, with the totals. */
export async function readMatrixFrame(
  db: Db,
  org_id: string,
  filter: MatrixFilter,
  { columns, rows }: { columns: Slice; rows: Slice },
) {
  const { environment, tags } = filter
  const [shown, [counted], [found]] = await Promise.all([
    db.run(environments, { org_id, environment, tags, ...columns }),
    db.run(countEnvironments, { org_id, environment, tags }),
    db.run(names, { org_id, ...filter, ...rows }),
  ])
  return {
    environments: shown,
    environment_total: counted?.total ?? 0,
    names: found?.names ?? [],
    total: found?.total ?? 0,
  }
}

/** The versions of these names in these environments, and when each version first started. */
export async function readMatrixCells(
  db: Db,
  org_id: string,
  environment_ids: string[],
  found: readonly RunningName[],
) {
  const [running, starts] = await Promise.all([
    db.run(cells, { org_id, environment_ids, names: found.map(({ name }) => name) }),
    db.run(firstStarts, { org_id, fingerprints: found.flatMap(({ artifact_keys }) => artifact_keys) }),
  ])
  return { running, starts }
}
