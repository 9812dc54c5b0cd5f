// The statements that read what ran at several moments, and since when its provenance is known. Going back from what
// runs now, each start and each exit is undone once, so the cost depends on the number of changes and not on the
// number of moments.
import { computeFirst } from '../../db/compute-first.ts'
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  nullable,
  plannedEachTime,
  type RowOf,
  readsPage,
  time,
  times,
  uuid,
  uuids,
} from '../../db/statement.ts'
import { assert } from '../../lib/assert.ts'

const counted = defineStatement(
  'coverage_trends.environments',
  { org_id: uuid, environment_ids: nullable(uuids), limit: int },
  { environment_id: uuid, stale_at: nullable(time), archived_at: nullable(time) },
  `select e.environment_id, e.stale_at, e.archived_at from environments e
   where e.org_id = :org_id and e.type <> 'logical' and e.latest_index > 0
     and (:environment_ids::uuid[] is null or e.environment_id = any (:environment_ids))
   order by e.environment_id desc limit :limit::int`,
  readsPage,
)

export type CountedEnvironment = RowOf<typeof counted>

/** The newest physical environments that have reported, archived or not. `environment_ids`: null means all of them. */
export function listCountedEnvironments(
  db: Db,
  org_id: string,
  filter: { environment_ids: string[] | null; limit: number },
): Promise<CountedEnvironment[]> {
  return db.run(counted, { org_id, ...filter })
}

const snapshotsAt = defineStatement(
  'coverage_trends.snapshots_at',
  { org_id: uuid, environment_ids: uuids, moments: times },
  {
    environment_id: uuid,
    /** Counted from 1. */
    moment: int,
    compliant: nullable(bool),
    compliant_count: int,
    non_compliant_count: int,
    unknown_count: int,
    has_policies: bool,
    is_partial: bool,
  },
  `select e.environment_id, m.moment::int as moment, s.compliant, s.compliant_count, s.non_compliant_count,
     s.unknown_count, s.applied_policies <> '[]' as has_policies, coalesce(s.is_partial, false) as is_partial
   from unnest(:environment_ids::uuid[]) as e(environment_id)
   cross join unnest(:moments::timestamptz[]) with ordinality as m(at, moment)
   cross join lateral (
     select x.* from snapshots x
     where x.org_id = :org_id and x.environment_id = e.environment_id and x.created_at <= m.at
     order by x.created_at desc, x.snapshot_index desc limit 1
   ) s`,
)

export type SnapshotAtRow = RowOf<typeof snapshotsAt>

/** The snapshot of each environment that was in force at each moment; none before its first report. */
export function listSnapshotsAt(
  db: Db,
  org_id: string,
  at: { environment_ids: string[]; moments: Date[] },
): Promise<SnapshotAtRow[]> {
  return db.run(snapshotsAt, { org_id, ...at })
}

const PROVENANCE = { org_id: uuid, environment_ids: uuids, moments: times, max_examined: int }

const CHANGE = {
  /** At earlier moments, the provenance is not counted. */
  counted_since: time,
  environment_id: nullable(uuid),
  /** Counted from 1. */
  moment: nullable(int),
  /** How many more artifacts with provenance run than at the moment before. */
  change: nullable(count),
}

const FIRST_MOMENT = '(:moments::timestamptz[])[1]'
/** The first moment at or after a time. */
const toMoment = (at: string) => `width_bucket(${at} - interval '1 microsecond', :moments::timestamptz[]) + 1`

/**
 * `started`: the newest starts after the first moment. If there are too many, nothing is known from before the
 * oldest of them. An artifact counts from the moment at which its first report was recorded, never before.
 */
const buildChanges = (started: string) => `
   with started as materialized (${started}), since as materialized (
     select case when count(*) < :max_examined::int then ${FIRST_MOMENT} else min(deployed_at) end as at from started
   ), undone as materialized (
     select e.environment_id, r.fingerprint, null::timestamptz as before, 1 as change
     from unnest(:environment_ids::uuid[]) as e(environment_id)
     cross join lateral (
       select x.fingerprint from runs x
       where x.org_id = :org_id and x.environment_id = e.environment_id and x.to_index is null offset 0
     ) r
     union all
     select s.environment_id, s.fingerprint, s.deployed_at, -1 from started s
     where s.environment_id = any (:environment_ids::uuid[])
     union all
     select e.environment_id, r.fingerprint, r.ended_at, 1
     from since cross join unnest(:environment_ids::uuid[]) as e(environment_id)
     cross join lateral (
       select x.fingerprint, (
         select s.created_at from snapshots s
         where s.org_id = :org_id and s.environment_id = e.environment_id and s.snapshot_index = x.to_index) as ended_at
       from runs x
       where x.org_id = :org_id and x.environment_id = e.environment_id and x.is_exit
         and x.to_index > ${computeFirst(`coalesce((
           select b.snapshot_index from snapshots b
           where b.org_id = :org_id and b.environment_id = e.environment_id and b.created_at <= since.at
           order by b.created_at desc, b.snapshot_index desc limit 1), 0)`)}
       offset 0
     ) r
   ), known as materialized (
     select f.fingerprint, (
       select min(a.created_at) from artifacts a
       where a.org_id = :org_id and a.fingerprint = f.fingerprint) as known_at
     from (select distinct u.fingerprint from undone u where u.fingerprint <> '') f
   ), spans as (
     select u.environment_id, u.change, ${toMoment('k.known_at')} as from_moment,
       coalesce(${toMoment('u.before')}, cardinality(:moments::timestamptz[]) + 1) as to_moment
     from undone u join known k on k.fingerprint = u.fingerprint
     where k.known_at is not null
   )
   select since.at as counted_since, found.environment_id, found.moment, found.change
   from since left join (
     select c.environment_id, c.moment, sum(c.change)::bigint as change
     from (
       select s.environment_id, s.from_moment as moment, s.change from spans s where s.from_moment < s.to_moment
       union all
       select s.environment_id, s.to_moment, -s.change from spans s where s.from_moment < s.to_moment
     ) c
     where c.moment <= cardinality(:moments::timestamptz[])
     group by 1, 2
   ) found on true`

const NEWEST = `x.is_primary and x.deployed_at > ${FIRST_MOMENT} order by x.deployed_at desc limit :max_examined::int`

const ofOrg = defineStatement(
  'coverage_trends.provenance_of_org',
  PROVENANCE,
  CHANGE,
  buildChanges(`select x.environment_id, x.fingerprint, x.deployed_at from deployments x
    where x.org_id = :org_id and ${NEWEST}`),
  plannedEachTime(readsPage),
)

const ofEnvironments = defineStatement(
  'coverage_trends.provenance_of_environments',
  PROVENANCE,
  CHANGE,
  buildChanges(`select x.environment_id, x.fingerprint, x.deployed_at
    from unnest(:environment_ids::uuid[]) as wanted(environment_id)
    cross join lateral (
      select x.* from deployments x
      where x.org_id = :org_id and x.environment_id = wanted.environment_id and ${NEWEST}
    ) x order by x.deployed_at desc limit :max_examined::int`),
  plannedEachTime(readsPage),
)

export interface ProvenanceAtMoments {
  counted_since: Date
  /** By environment: how many artifacts with provenance ran in it at each moment. */
  counts: Map<string, number[]>
}

/** `is_whole_org`: all environments are requested, for which there is an index. */
export async function countProvenance(
  db: Db,
  org_id: string,
  {
    is_whole_org,
    ...at
  }: { is_whole_org: boolean; environment_ids: string[]; moments: Date[]; max_examined: number },
): Promise<ProvenanceAtMoments> {
  const rows = await db.run(is_whole_org ? ofOrg : ofEnvironments, { org_id, ...at })
  const [first] = rows
  assert(first !== undefined, 'the statement says since when it counts')
  const counts = new Map(at.environment_ids.map(id => [id, at.moments.map(() => 0)]))
  for (const { environment_id, moment, change } of rows) {
    const its = environment_id === null ? undefined : counts.get(environment_id)
    if (its === undefined || moment === null) continue
    for (let i = moment - 1; i < its.length; i++) its[i] = (its[i] ?? 0) + (change ?? 0)
  }
  return { counted_since: first.counted_since, counts }
}
