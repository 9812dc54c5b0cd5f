// The statements that list policies.
import { toSelectList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import { bool, count, defineStatement, int, nullable, text, uuid } from '../../db/statement.ts'
import type { Slice } from '../shared/page.ts'
import { LISTED_POLICY, POLICY } from './store.ts'

export interface PolicyFilter {
  archived: boolean
  search_by_name: string | null
  case_sensitive: boolean
}

const FILTER = { search_by_name: nullable(text), case_sensitive: bool }

const MATCHING = `
  p.org_id = :org_id
  and (:search_by_name::text is null
       or case when :case_sensitive::boolean then position(:search_by_name in p.name) > 0
          else position(lower(:search_by_name) in lower(p.name)) > 0 end)`

const SHOWN = `${MATCHING} and (p.archived_at is not null) = :archived::boolean`

const countMatching = defineStatement(
  'policies.count',
  { org_id: uuid, ...FILTER },
  { total: count, archived: count },
  `select count(*) filter (where p.archived_at is null) as total,
     count(*) filter (where p.archived_at is not null) as archived
   from policies p where ${MATCHING}`,
)

const list = defineStatement(
  'policies.list',
  { org_id: uuid, ...FILTER, archived: bool },
  POLICY,
  `select ${toSelectList('p', POLICY)} from policies p where ${SHOWN} order by p.name`,
)

/** All of them, with the counts of active and archived ones, in one round trip. */
export async function listPolicies(db: Db, org_id: string, filter: PolicyFilter) {
  const { archived: _, ...matching } = filter
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...filter }),
    db.run(countMatching, { org_id, ...matching }),
  ])
  return { rows, counted }
}

// The limit applies before anything is computed.
const page = defineStatement(
  'policies.page',
  { org_id: uuid, ...FILTER, archived: bool, limit: nullable(int), offset: count },
  LISTED_POLICY,
  `select ${toSelectList('p', LISTED_POLICY)}
   from (select p.* from policies p where ${SHOWN} order by p.name limit :limit::int offset :offset::bigint) p
   order by p.name`,
)

/** One page of policies, each with only its newest version, and the counts, in one round trip. */
export async function listPoliciesPage(db: Db, org_id: string, filter: PolicyFilter, slice: Slice) {
  const { archived: _, ...matching } = filter
  const [rows, [counted]] = await Promise.all([
    db.run(page, { org_id, ...filter, ...slice }),
    db.run(countMatching, { org_id, ...matching }),
  ])
  return { rows, counted }
}
