// The statements that read the current state of several environments at once.
import { computeFirst } from '../../db/compute-first.ts'
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import { STALE_AT } from '../environments/store.ts'

const named = defineStatement(
  'environment_timelines.environments',
  { org_id: uuid, names: texts },
  {
    environment_id: uuid,
    name: text,
    type: text,
    latest_index: int,
    stale_at: nullable(time),
    compliant: nullable(bool),
    compliant_count: count,
    non_compliant_count: count,
    unknown_count: count,
    /** The physical environments whose deployments count. */
    deployed_to: uuids,
  },
  `select e.environment_id, e.name, e.type, e.latest_index, ${STALE_AT} as stale_at, s.compliant,
     coalesce(s.compliant_count, 0)::bigint as compliant_count,
     coalesce(s.non_compliant_count, 0)::bigint as non_compliant_count,
     coalesce(s.unknown_count, 0)::bigint as unknown_count,
     case when e.type = 'logical' then array(
       select m.member_id from environment_members m where m.org_id = e.org_id and m.environment_id = e.environment_id
     ) else array[e.environment_id] end as deployed_to
   from environments e
   left join snapshots s on s.org_id = e.org_id and s.environment_id = e.environment_id
     and s.snapshot_index = e.latest_index
   where e.org_id = :org_id and e.name = any (:names::text[])
   order by e.name`,
)

export type TimelineEnvironment = RowOf<typeof named>

/** By name; unknown names are left out. */
export function listNamedEnvironments(
  db: Db,
  org_id: string,
  names: string[],
): Promise<TimelineEnvironment[]> {
  return db.run(named, { org_id, names })
}

const since = defineStatement(
  'environment_timelines.since',
  { org_id: uuid, environment_ids: uuids, from_at: time },
  { environment_id: uuid, state_since: time, is_older: bool },
  `select e.environment_id, first.created_at as state_since, other.created_at is null and first.snapshot_index > 1 as is_older
   from unnest(:environment_ids::uuid[]) as e(environment_id)
   cross join lateral (
     select l.compliant from snapshots l where l.org_id = :org_id and l.environment_id = e.environment_id
     order by l.created_at desc, l.snapshot_index desc limit 1
   ) latest
   left join lateral (
     select o.created_at, o.snapshot_index from snapshots o
     where o.org_id = :org_id and o.environment_id = e.environment_id and o.created_at >= :from_at
       and o.compliant is distinct from latest.compliant
     order by o.created_at desc, o.snapshot_index desc limit 1
   ) other on true
   cross join lateral (
     select f.created_at, f.snapshot_index from snapshots f
     where f.org_id = :org_id and f.environment_id = e.environment_id
       and (f.created_at, f.snapshot_index) > (
         ${computeFirst('coalesce(other.created_at, :from_at::timestamptz)')},
         ${computeFirst('coalesce(other.snapshot_index, 0)')})
     order by f.created_at, f.snapshot_index limit 1
   ) first`,
)

/**
 * Since when each environment has been in its state. No row for an environment without a snapshot after `from_at`.
 */
export function listStateTimes(db: Db, org_id: string, environment_ids: string[], from_at: Date) {
  return db.run(since, { org_id, environment_ids, from_at })
}
