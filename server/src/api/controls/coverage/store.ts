// The statements that find the environments which require a control: an active policy is attached there, and its latest
// version has a rule for the control. Logical environments have no policies, so they are left out.
import type { Database, Db } from '../../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  uuid, readsWholeOrg } from '../../../db/statement.ts'

export interface CoveredEnvironment {
  name: string
  type: string
  covered: boolean
  policies: string[]
}

const LIVE_ENVIRONMENTS = `e.org_id = :org_id and e.archived_at is null and e.type <> 'logical'`

/** The active policies attached to the environment `e`, with their latest versions. */
const ATTACHED_POLICIES = `
  environment_policies a
  join policies p on p.org_id = a.org_id and p.policy_id = a.policy_id and p.archived_at is null
  join policy_versions v on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = p.latest_version`

const coverage = defineStatement(
  'controls.coverage',
  {
    org_id: uuid,
    identifier: text,
    search: nullable(text),
    covered: nullable(bool),
    limit: int,
    offset: count,
  },
  { total: count, covered: count, matching: count, environments: json<CoveredEnvironment[]>() },
  `with evaluated as materialized (
     select e.name, e.type, array(
       select p.name from ${ATTACHED_POLICIES}
       where a.org_id = :org_id and a.environment_id = e.environment_id
         and v.parsed @> jsonb_build_object('artifacts', jsonb_build_object('attestations',
               jsonb_build_array(jsonb_build_object('for_control', :identifier::text))))
       order by p.name) as policies
     from environments e where ${LIVE_ENVIRONMENTS}
   ), matched as materialized (
     select j.name, j.type, j.policies <> '{}' as covered, j.policies from evaluated j
     where (:search::text is null or position(lower(:search) in lower(j.name)) > 0)
       and (:covered::boolean is null or (j.policies <> '{}') = :covered)
   )
   select
     (select count(*) from evaluated) as total,
     (select count(*) from evaluated j where j.policies <> '{}') as covered,
     (select count(*) from matched) as matching,
     (select coalesce(json_agg(to_json(m) order by m.name), '[]') from (
        select * from matched order by name limit :limit::int offset :offset::bigint) m) as environments
   from controls c where c.org_id = :org_id and c.identifier = :identifier`,
  readsWholeOrg('every environment counts in the totals'),
)

export interface CoverageFilter {
  identifier: string
  search: string | null
  covered: boolean | null
  limit: number
  offset: number
}

/** Undefined when the control does not exist. The totals count all environments, whatever the filter. */
export async function findCoverage(
  db: Database,
  org_id: string,
  filter: CoverageFilter,
): Promise<RowOf<typeof coverage> | undefined> {
  return (await db.read({ org_id }, coverage, { org_id, ...filter }))[0]
}

const frame = defineStatement(
  'controls.coverage_frame',
  { org_id: uuid },
  { environments: texts, controls: count },
  `select
     array(select e.name from environments e where ${LIVE_ENVIRONMENTS} order by e.name) as environments,
     (select count(*) from controls c where c.org_id = :org_id and c.archived_at is null) as controls`,
)

const matrix = defineStatement(
  'controls.coverage_matrix',
  { org_id: uuid, limit: int, offset: count },
  { identifier: text, name: text, covered: texts },
  `with page as materialized (
     select c.identifier, c.name from controls c
     where c.org_id = :org_id and c.archived_at is null
     order by c.name, c.identifier
     limit :limit::int offset :offset::bigint
   ), pair as materialized (
     select distinct rule.value ->> 'for_control' as control, e.name as environment
     from environments e
     join ${ATTACHED_POLICIES} on a.org_id = e.org_id and a.environment_id = e.environment_id
     cross join lateral jsonb_array_elements(v.parsed -> 'artifacts' -> 'attestations') rule
     where ${LIVE_ENVIRONMENTS} and rule.value ->> 'for_control' is not null
   ), covered as materialized (
     select x.control, array_agg(x.environment order by x.environment) as environments from pair x group by x.control
   )
   select p.identifier, p.name,
     coalesce((select x.environments from covered x where x.control = p.identifier), '{}') as covered
   from page p order by p.name, p.identifier`,
)

export interface CoverageMatrix {
  environments: string[]
  controls: RowOf<typeof matrix>[]
  total: number
}

/** Every environment and, for each active control of the page, the environments that require it. */
export async function readCoverageMatrix(
  db: Db,
  org_id: string,
  slice: { limit: number; offset: number },
): Promise<CoverageMatrix> {
  const [[found], controls] = await Promise.all([
    db.run(frame, { org_id }),
    db.run(matrix, { org_id, ...slice }),
  ])
  return { environments: found?.environments ?? [], controls, total: found?.controls ?? 0 }
}
