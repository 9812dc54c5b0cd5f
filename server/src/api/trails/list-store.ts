// The statements that list trails.
import { toSelectList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
} from '../../db/statement.ts'
import { toIdAfter, toIdBefore } from '../shared/id-bounds.ts'
import { matchesName } from '../shared/names-store.ts'
import type { Slice } from '../shared/page.ts'
import { TRAIL } from './store.ts'

export interface TrailFilter {
  /** True for trails of archived flows, false for those of active flows, null for all. */
  archived: boolean | null
  flow_id: string | null
  fingerprint: string | null
  tag_key: string | null
  tag_value: string | null
  /** When a trail began, inclusive; null for any time. */
  from_at: Date | null
  to_at: Date | null
}

// The trails of archived flows are hidden together with the flows.
const SHOWN_FLOW = `
  f.org_id = :org_id and (:archived::boolean is null or (f.archived_at is not null) = :archived) and (:flow_id::uuid is null or f.flow_id = :flow_id)
  and (:tag_key::text is null or f.tags ->> :tag_key = :tag_value::text)`

// The id range bounds the scan of every index; the times are exact.
const isInIdRange = (trail_id: string) => `${trail_id} >= :min_id and ${trail_id} < :end_id`
const isInPeriod = (trail: string) => `
  (:from_at::timestamptz is null or ${trail}.created_at >= :from_at)
  and (:to_at::timestamptz is null or ${trail}.created_at <= :to_at)`

const IN_TIME = `${isInIdRange('r.trail_id')} and ${isInPeriod('r')}`

const FILTER = {
  org_id: uuid,
  archived: nullable(bool),
  flow_id: nullable(uuid),
  tag_key: nullable(text),
  tag_value: nullable(text),
  min_id: uuid,
  end_id: uuid,
  from_at: nullable(time),
  to_at: nullable(time),
}

const countMatching = defineStatement(
  'trails.count',
  FILTER,
  { total: count },
  `select count(*) as total from trails r join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   where r.org_id = :org_id and ${SHOWN_FLOW} and ${IN_TIME}`,
  readsWholeOrg('the total of a list counts every trail that matches'),
)

const PAGE = { ...FILTER, limit: nullable(int), offset: count }

const NEWEST_FIRST = 'order by r.trail_id desc limit :limit::int offset :offset::bigint'

// Looks up the flow of each trail, because a join would be planned from the flows through all of their trails.
const ITS_FLOW = `
  cross join lateral (
    select f.name, f.tags, f.archived_at from flows f where ${SHOWN_FLOW} and f.flow_id = r.flow_id limit 1
  ) f`

const LISTED = `
  from trails r ${ITS_FLOW}
  where r.org_id = :org_id and ${IN_TIME}`

const list = defineStatement(
  'trails.list',
  PAGE,
  TRAIL,
  `select ${toSelectList('r', TRAIL)} ${LISTED} ${NEWEST_FIRST}`,
)

// A separate statement for some flows only: it reads the newest of each, without those of other flows.
const listOfFlows = defineStatement(
  'trails.list_of_flows',
  PAGE,
  TRAIL,
  `select ${toSelectList('r', TRAIL)}
   from flows f
   cross join lateral (
     select r.* from trails r where r.org_id = :org_id and r.flow_id = f.flow_id and ${IN_TIME}
     order by r.trail_id desc limit :limit::int + :offset::bigint
   ) r
   where ${SHOWN_FLOW} ${NEWEST_FIRST}`,
)

// Separate statements that scan the index of states.
const countInState = defineStatement(
  'trails.count_by_state',
  { ...FILTER, state: text },
  { total: count },
  `select count(*) as total ${LISTED} and r.compliance_state = :state`,
  readsWholeOrg('the total of a list counts every trail that matches'),
)

const listInState = defineStatement(
  'trails.list_by_state',
  { ...PAGE, state: text },
  TRAIL,
  `select ${toSelectList('r', TRAIL)} ${LISTED} and r.compliance_state = :state ${NEWEST_FIRST}`,
)

// Separate statements that start at the index of fingerprints: an artifact is on few trails. They look up each trail,
// because PostgreSQL 15 would compare all trails of the period with them.
const OF_ARTIFACT = `
  from (select distinct a.trail_id from artifacts a where a.org_id = :org_id and a.fingerprint = :fingerprint) on_trail
  cross join lateral (
    select r.* from trails r
    where r.org_id = :org_id and r.trail_id = on_trail.trail_id and ${IN_TIME}
      and (:state::text is null or r.compliance_state = :state)
    limit 1
  ) r ${ITS_FLOW}`

const BY_ARTIFACT = { fingerprint: text, state: nullable(text) }

const countOfArtifact = defineStatement(
  'trails.count_of_artifact',
  { ...FILTER, ...BY_ARTIFACT },
  { total: count },
  `select count(*) as total ${OF_ARTIFACT}`,
)

const listOfArtifact = defineStatement(
  'trails.list_of_artifact',
  { ...PAGE, ...BY_ARTIFACT },
  TRAIL,
  `select ${toSelectList('r', TRAIL)} ${OF_ARTIFACT} ${NEWEST_FIRST}`,
)

// Separate statements that start at the index of words. They look up only the trails of one page, unless the query
// filters by state or time.
const NAMED = `
  from trail_words w
  where ${matchesName(`select f.flow_id from flows f where ${SHOWN_FLOW}`)} and ${isInIdRange('w.trail_id')}
    and (:fingerprint::text is null or w.trail_id in (
      select a.trail_id from artifacts a where a.org_id = :org_id and a.fingerprint = :fingerprint))
    and ((:state::text is null and :from_at::timestamptz is null and :to_at::timestamptz is null) or exists (
      select from trails x
      where x.org_id = :org_id and x.trail_id = w.trail_id and (:state is null or x.compliance_state = :state)
        and ${isInPeriod('x')}))`

const BY_NAME = { search_by_name: text, fingerprint: nullable(text), state: nullable(text) }

const countNamed = defineStatement(
  'trails.count_by_name',
  { ...FILTER, ...BY_NAME },
  { total: count },
  `select count(distinct w.trail_id) as total ${NAMED}`,
  readsWholeOrg('every name that contains the text is looked at, to sort them by age'),
)

const listNamed = defineStatement(
  'trails.list_by_name',
  { ...PAGE, ...BY_NAME },
  TRAIL,
  `select ${toSelectList('r', TRAIL)}
   from (
     select distinct w.trail_id ${NAMED}
     order by w.trail_id desc limit :limit::int offset :offset::bigint
   ) named
   join trails r on r.org_id = :org_id and r.trail_id = named.trail_id
   join flows f on f.org_id = :org_id and f.flow_id = r.flow_id
   order by r.trail_id desc`,
  readsWholeOrg('every name that contains the text is looked at, to sort them by age'),
)

export type TrailRow = RowOf<typeof list>

/** One page and the total, optionally only trails in a state or with a text in their name. */
export async function listTrails(
  db: Db,
  org_id: string,
  filter: TrailFilter,
  { state, search_by_name }: { state?: string; search_by_name?: string },
  slice: Slice,
) {
  const ids = { min_id: toIdBefore(filter.from_at), end_id: toIdAfter(filter.to_at) }
  const params = { org_id, ...filter, ...ids }
  const { fingerprint } = filter
  const [rows, [counted]] = await Promise.all(runListAndCount())
  return { rows, total: counted?.total ?? 0 }

  function runListAndCount() {
    if (search_by_name !== undefined) {
      const named = { ...params, search_by_name, state: state ?? null }
      return [db.run(listNamed, { ...named, ...slice }), db.run(countNamed, named)] as const
    }
    if (fingerprint !== null) {
      const built = { ...params, fingerprint, state: state ?? null }
      return [db.run(listOfArtifact, { ...built, ...slice }), db.run(countOfArtifact, built)] as const
    }
    if (state !== undefined)
      return [
        db.run(listInState, { ...params, state, ...slice }),
        db.run(countInState, { ...params, state }),
      ] as const
    const statement = isForSomeFlows(filter) ? listOfFlows : list
    return [db.run(statement, { ...params, ...slice }), db.run(countMatching, params)] as const
  }
}

function isForSomeFlows({ flow_id, tag_key, archived }: TrailFilter): boolean {
  return flow_id !== null || tag_key !== null || archived === true
}
