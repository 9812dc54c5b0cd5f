// The statements that read the deployments of one repository.
import type { Db } from '../../db/database.ts'
import {
  defineStatement,
  json,
  nullable,
  plannedEachTime,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'

const sources = defineStatement(
  'deployments.sources',
  { org_id: uuid, names: texts },
  { wanted: text, archived_at: nullable(time), environment_ids: uuids },
  `select w.wanted, e.archived_at, case when e.type = 'logical' then array(
       select m.member_id from environment_members m
       where m.org_id = :org_id and m.environment_id = e.environment_id)
     else array[e.environment_id] end as environment_ids
   from unnest(:names::text[]) as w (wanted)
   cross join lateral (select environment_meant(:org_id, w.wanted) as environment_id offset 0) meant
   join environments e on e.org_id = :org_id and e.environment_id = meant.environment_id`,
)

/** The environments with these names, each with its own id, or the ids of its members if it is logical. */
export function listSources(db: Db, org_id: string, names: readonly string[]) {
  return db.run(sources, { org_id, names: [...names] })
}

const series = defineStatement(
  'deployments.series_of_repo',
  { org_id: uuid, repo_id: uuid, environment_ids: nullable(uuids), from_at: time, to_at: time },
  {
    environment_name: text,
    deployed_at: json<number[]>(),
    lead_time_seconds: json<(number | null)[]>(),
  },
  `select e.name as environment_name, s.deployed_at, s.lead_time_seconds
   from (
     select x.environment_id,
       jsonb_agg(round(extract(epoch from x.deployed_at), 3) order by x.deployed_at, x.deployment_id) as deployed_at,
       jsonb_agg(x.lead_time_seconds order by x.deployed_at, x.deployment_id) as lead_time_seconds
     from deployments x
     where x.org_id = :org_id and x.is_primary and x.repo_id = :repo_id
       and x.deployed_at >= :from_at and x.deployed_at <= :to_at
       and (:environment_ids::uuid[] is null or x.environment_id = any (:environment_ids))
     group by x.environment_id
   ) s
   join environments e on e.org_id = :org_id and e.environment_id = s.environment_id
   order by e.name`,
  plannedEachTime(readsWholeOrg('a series has every deployment of the repository in the period')),
)

export interface SeriesFilter {
  repo_id: string
  environment_ids: string[] | null
  from_at: Date
  to_at: Date
}

/** For each environment, the times of the deployments and their lead times, oldest first. */
export function listSeries(db: Db, org_id: string, filter: SeriesFilter) {
  return db.run(series, { org_id, ...filter })
}
