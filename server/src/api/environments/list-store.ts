// The statements that list environments.
import { toSelectList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  nullable,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
} from '../../db/statement.ts'
import type { EnvironmentState } from '../../domain/snapshot/staleness.ts'
import type { Slice } from '../shared/page.ts'
import { ENVIRONMENT, STALE_AT, WAITING_SINCE } from './store.ts'

const FILTER = {
  name: nullable(text),
  types: nullable(texts),
  tags: nullable(texts),
  state: nullable(text),
  compliance: nullable(text),
  now: time,
  overdue_before: time,
}

export interface EnvironmentFilter {
  name: string | null
  types: string[] | null
  /** Each is a key or `key:value`. A key never contains a colon. */
  tags: string[] | null
  /** By the last verdict. */
  state: EnvironmentState | null
  /** By what is known now. */
  compliance: EnvironmentState | null
  now: Date
  /** An evaluation that was requested before this is overdue. */
  overdue_before: Date
}

// The same rule as domain/snapshot/staleness.ts: missing reports do not hide a known violation.
const STATE = `
  case when e.state is false then 'non-compliant' when ${STALE_AT} <= :now then 'stale'
       when e.state then 'compliant' else 'unknown' end`

// The same rule as domain/snapshot/unknown.ts: a verdict that newer facts may contradict is unknown.
const COMPLIANCE = `
  case when e.state is false then 'non-compliant' when ${STALE_AT} <= :now then 'stale'
       when e.state and e.latest_index > 0
         and case when e.type = 'logical'
               then (select bool_and(o.partial_since is null) from environment_members m
                     join environments o on o.org_id = m.org_id and o.environment_id = m.member_id
                     where m.org_id = e.org_id and m.environment_id = e.environment_id)
               else e.partial_since is null and exists (
                 select from environment_policies a
                 where a.org_id = e.org_id and a.environment_id = e.environment_id) end
         and (${WAITING_SINCE} < :overdue_before::timestamptz) is not true
       then 'compliant' else 'unknown' end`

const MATCHING = `
  e.org_id = :org_id
  and (:name::text is null or position(lower(:name) in lower(e.name)) > 0)
  and (:types::text[] is null or e.type = any(:types))
  and (:tags::text[] is null or exists (
    select from jsonb_each_text(e.tags) tag where tag.key = any(:tags) or tag.key || ':' || tag.value = any(:tags)))
  and (:state::text is null or :state = ${STATE})
  and (:compliance::text is null or :compliance = ${COMPLIANCE})`

const STATES_READ = readsWholeOrg(
  'to filter by state reads the members and pending evaluations of each environment',
)

const countMatching = defineStatement(
  'environments.count',
  { org_id: uuid, ...FILTER },
  { total: count, archived: count },
  `select count(*) filter (where e.archived_at is null) as total,
     count(*) filter (where e.archived_at is not null) as archived
   from environments e where ${MATCHING}`,
  STATES_READ,
)

const list = defineStatement(
  'environments.list',
  {
    org_id: uuid,
    ...FILTER,
    archived: bool,
    sort: text,
    descending: bool,
    limit: nullable(int),
    offset: count,
  },
  ENVIRONMENT,
  `select ${toSelectList('e', ENVIRONMENT)}
   from environments e
   cross join lateral (
     select case :sort::text when 'last_modified_at' then e.last_modified_at
                             when 'last_changed_at' then e.last_changed_at end as sort_time,
            array_position(array['non-compliant', 'stale', 'unknown', 'compliant'],
              case :sort when 'urgency' then ${STATE} when 'compliance' then ${COMPLIANCE} end) as urgency
   ) sorted
   where ${MATCHING} and (e.archived_at is not null) = :archived::boolean
   order by
     case when :descending::boolean then sorted.urgency end desc,
     case when not :descending then sorted.urgency end asc,
     case when :descending then sorted.sort_time end desc nulls last,
     case when not :descending then sorted.sort_time end asc nulls first,
     case when :descending then e.name end desc,
     e.name asc
   limit :limit::int offset :offset::bigint`,
  STATES_READ,
)

export interface EnvironmentOrder extends Slice {
  archived: boolean
  sort: 'name' | 'last_modified_at' | 'last_changed_at' | 'urgency' | 'compliance'
  descending: boolean
}

/** One page of environments and the counts, in one round trip. */
export async function listEnvironments(
  db: Db,
  org_id: string,
  filter: EnvironmentFilter,
  order: EnvironmentOrder,
) {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...filter, ...order }),
    db.run(countMatching, { org_id, ...filter }),
  ])
  return { rows, counted }
}
