// The statements that read the events of environments. Events of one environment are ordered by snapshot; events of
// several are merged by time. The times of the first and the last snapshot limit how much is read.
import type { Db } from '../../../db/database.ts'
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
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'

/** A range of snapshots of one physical environment. */
export interface EventRange {
  environment_id: string
  from_index: number
  to_index: number
}

export interface EventFilter {
  ranges: readonly EventRange[]
  from_at: Date | null
  to_at: Date | null
  repo_ids: string[] | null
}

const FILTER = {
  org_id: uuid,
  ranges: json<readonly EventRange[]>(),
  from_at: nullable(time),
  to_at: nullable(time),
  repo_ids: nullable(uuids),
}

const selectCreatedAt = (index: string) =>
  `(select s.created_at from snapshots s
      where s.org_id = :org_id and s.environment_id = r.environment_id and s.snapshot_index = ${index})`

const RANGES = `jsonb_to_recordset(:ranges::jsonb) as r(environment_id uuid, from_index int, to_index int)
   cross join lateral (
     select coalesce(greatest(:from_at::timestamptz, ${selectCreatedAt('r.from_index')}), '-infinity') as from_at,
       coalesce(least(:to_at::timestamptz, ${selectCreatedAt('r.to_index')}), 'infinity') as to_at
     offset 0
   ) times`

const MATCHING = `from environment_events x
     where x.org_id = :org_id and x.environment_id = r.environment_id
       and x.happened_at between times.from_at and times.to_at
       and x.snapshot_index between r.from_index and r.to_index
       and (:repo_ids::uuid[] is null or x.repo_ids && :repo_ids)`

const countMatching = defineStatement(
  'environment_events.count',
  FILTER,
  { total: count },
  `select count(*) as total from ${RANGES} cross join lateral (select x.snapshot_index ${MATCHING} offset 0) e`,
)

const buildOrder = (alias: string, direction: 'asc' | 'desc') =>
  ['happened_at', 'snapshot_index', 'artifact_key', 'environment_id']
    .map(column => `${alias}.${column} ${direction}`)
    .join(', ')

const defineList = (direction: 'asc' | 'desc') =>
  defineStatement(
    `environment_events.list_${direction}`,
    { ...FILTER, limit: int, offset: count },
    {
      environment_name: text,
      snapshot_index: int,
      happened_at: time,
      type: text,
      fingerprint: text,
      artifact_name: text,
      was: int,
      now: int,
      artifact_compliance: nullable(bool),
      snapshot_compliance: nullable(bool),
      code_diff: nullable(text),
      flow_names: texts,
    },
    `select (select v.name from environments v where v.org_id = :org_id and v.environment_id = e.environment_id)
         as environment_name, e.snapshot_index, e.happened_at, e.type, e.fingerprint, e.artifact_name, e.was,
       e.now, e.artifact_compliance, e.snapshot_compliance, e.code_diff,
       array(select (select f.name from flows f where f.org_id = :org_id and f.flow_id = known.flow_id)
             from unnest(e.flow_ids) with ordinality as known(flow_id, place) order by known.place) as flow_names
     from (
       select e.* from ${RANGES}
       cross join lateral (
         select x.* ${MATCHING} order by ${buildOrder('x', direction)} limit :limit::int + :offset::bigint
       ) e
       order by ${buildOrder('e', direction)}
       limit :limit::int offset :offset::bigint
     ) e
     order by ${buildOrder('e', direction)}`,
  )

const oldestFirst = defineList('asc')
const newestFirst = defineList('desc')

export type EnvironmentEventRow = RowOf<typeof newestFirst>

/** One page of events and the total count, in one round trip. */
export async function listEvents(
  db: Db,
  org_id: string,
  filter: EventFilter,
  page: { ascending: boolean; limit: number; offset: number },
): Promise<{ rows: EnvironmentEventRow[]; total: number }> {
  const { ascending, ...slice } = page
  const [rows, [counted]] = await Promise.all([
    db.run(ascending ? oldestFirst : newestFirst, { org_id, ...filter, ...slice }),
    db.run(countMatching, { org_id, ...filter }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const selectMemberIndex = (index: string) =>
  `(select (x ->> 'snapshot_index')::int from snapshots s, jsonb_array_elements(s.members) x
      where s.org_id = :org_id and s.environment_id = :environment_id and s.snapshot_index = ${index}
        and x ->> 'environment_id' = m.member_id::text)`

const logicalRanges = defineStatement(
  'environment_events.ranges_of_members',
  { org_id: uuid, environment_id: uuid, from_index: int, to_index: int },
  { environment_id: uuid, from_index: int, to_index: int },
  `select m.member_id as environment_id, coalesce(${selectMemberIndex(':from_index::int - 1')}, 0) + 1 as from_index,
     coalesce(${selectMemberIndex(':to_index::int')}, 0) as to_index
   from environment_members m
   where m.org_id = :org_id and m.environment_id = :environment_id`,
)

/** The snapshots of the members that appear in a range of snapshots of a logical environment. */
export function listMemberRanges(db: Db, org_id: string, logical: EventRange): Promise<EventRange[]> {
  return db.run(logicalRanges, { org_id, ...logical })
}
