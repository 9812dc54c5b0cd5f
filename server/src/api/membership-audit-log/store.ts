// The statements of the membership history. Events are numbered without gaps, so any page of the unfiltered history is
// found by number. Every other order has its own index.
import type { Database, Db } from '../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeOrg,
  type Statement,
  text,
  texts,
  time,
  uuid,
} from '../../db/statement.ts'

export const SORTS = ['when', 'user', 'role', 'changed_by', 'source'] as const
type Sort = (typeof SORTS)[number]

export interface EventFilter {
  search: string | null
  event_type: string | null
  roles: string[] | null
  sources: string[] | null
  from_at: Date | null
  to_at: Date | null
}

const FILTER = {
  search: nullable(text),
  event_type: nullable(text),
  roles: nullable(texts),
  sources: nullable(texts),
  from_at: nullable(time),
  to_at: nullable(time),
}

const ROW = {
  event_no: int,
  event_id: uuid,
  kind: text,
  user: text,
  changed_by: text,
  role: nullable(text),
  previous_role: nullable(text),
  source: text,
  created_at: time,
}

const COLUMNS = `event_no, event_id, kind, user_name as "user", changed_by, role, previous_role, source, created_at`

const MATCHES = `(:search::text is null or position(lower(:search) in lower(user_name)) > 0
     or position(lower(:search) in lower(changed_by)) > 0)
   and (:event_type::text is null or kind = :event_type)
   and (:roles::text[] is null or role = any (:roles))
   and (:sources::text[] is null or source = any (:sources))
   and (:from_at::timestamptz is null or created_at >= :from_at)
   and (:to_at::timestamptz is null or created_at <= :to_at)`

const total = defineStatement(
  'membership_history.total',
  { org_id: uuid },
  { total: int },
  'select membership_events as total from orgs where org_id = :org_id',
)

/** The number of events, which is also the number of the latest one. */
export async function countEvents(db: Db, org_id: string): Promise<number> {
  return (await db.run(total, { org_id }))[0]?.total ?? 0
}

const range = defineStatement(
  'membership_history.range',
  { org_id: uuid, from_no: int, to_no: int },
  ROW,
  `select ${COLUMNS} from membership_events
   where org_id = :org_id and event_no between :from_no and :to_no
   order by event_no`,
)

export type MembershipEventRow = RowOf<typeof range>

/** Sorted by number. The last page of a long history costs as much as the first. */
export function listEventsInRange(
  db: Db,
  org_id: string,
  numbers: { from_no: number; to_no: number },
): Promise<MembershipEventRow[]> {
  return db.run(range, { org_id, ...numbers })
}

const matchingRange = defineStatement(
  'membership_history.matching_range',
  { org_id: uuid, from_no: int, to_no: int, ...FILTER },
  ROW,
  `select ${COLUMNS} from membership_events
   where org_id = :org_id and event_no between :from_no and :to_no and ${MATCHES}
   order by event_no`,
)

export function listMatchesInRange(
  db: Database,
  org_id: string,
  filter: EventFilter,
  numbers: { from_no: number; to_no: number },
): Promise<MembershipEventRow[]> {
  return db.runOnce({ org_id }, matchingRange, { org_id, ...filter, ...numbers })
}

const countMatching = defineStatement(
  'membership_history.count_matching',
  { org_id: uuid, ...FILTER },
  { matching: count },
  `select count(*) as matching from membership_events where org_id = :org_id and ${MATCHES}`,
  readsWholeOrg('a filtered history says how many of its events match, and an organization has few of them'),
)

export async function countMatches(db: Db, org_id: string, filter: EventFilter): Promise<number> {
  return (await db.run(countMatching, { org_id, ...filter }))[0]?.matching ?? 0
}

const SORT_COLUMNS: Record<Sort, string> = {
  when: 'created_at',
  user: 'user_name',
  role: 'role',
  changed_by: 'changed_by',
  source: 'source',
}

type SortedStatement = Statement<
  EventFilter & { org_id: string; limit: number; offset: number },
  MembershipEventRow
>

/** One statement per order, so that each can walk its own index. Ties are sorted by number. */
function buildSortedStatement(sort: Sort, direction: 'asc' | 'desc'): SortedStatement {
  const column = SORT_COLUMNS[sort]
  return defineStatement(
    `membership_history.by_${sort}_${direction}`,
    { org_id: uuid, ...FILTER, limit: int, offset: int },
    ROW,
    `select ${COLUMNS} from membership_events
     where org_id = :org_id and ${MATCHES}
     order by ${column} ${direction}, event_no ${direction}
     limit :limit::int offset :offset::int`,
  )
}

const SORTED_STATEMENTS = new Map(
  SORTS.flatMap(sort => [
    [`${sort} asc`, buildSortedStatement(sort, 'asc')],
    [`${sort} desc`, buildSortedStatement(sort, 'desc')],
  ]),
) as ReadonlyMap<string, SortedStatement>

export interface EventOrder {
  sort: Sort
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}

export async function listMatchesSorted(
  db: Db,
  org_id: string,
  filter: EventFilter,
  { sort, direction, limit, offset }: EventOrder,
): Promise<MembershipEventRow[]> {
  const sorted = SORTED_STATEMENTS.get(`${sort} ${direction}`)
  return sorted ? db.run(sorted, { org_id, ...filter, limit, offset }) : []
}
