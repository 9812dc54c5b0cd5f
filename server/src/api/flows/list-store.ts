// The statements that list flows.
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
  uuid,
} from '../../db/statement.ts'
import type { Slice } from '../shared/page.ts'
import { FLOW } from './store.ts'

export interface FlowFilter {
  archived: boolean
  public_only: boolean
  search_by_name: string | null
  case_sensitive: boolean
  /** Each is `key` or `key:value`; a flow must have at least one. */
  tags: string[] | null
  sort: 'name' | 'latest_activity'
  descending: boolean
}

const MATCHING = `
  f.org_id = :org_id and (not :public_only::boolean or f.visibility = 'public')
  and (:search_by_name::text is null
       or case when :case_sensitive::boolean then position(:search_by_name in f.name) > 0
          else position(lower(:search_by_name) in lower(f.name)) > 0 end)
  and (:tags::text[] is null or exists (
    select from jsonb_each_text(f.tags) tag where tag.key = any(:tags) or tag.key || ':' || tag.value = any(:tags)))`

const countMatching = defineStatement(
  'flows.count',
  {
    org_id: uuid,
    public_only: bool,
    search_by_name: nullable(text),
    case_sensitive: bool,
    tags: nullable(texts),
  },
  { total: count, archived: count },
  `select count(*) filter (where f.archived_at is null) as total,
     count(*) filter (where f.archived_at is not null) as archived
   from flows f where ${MATCHING}`,
  readsWholeOrg('the total of a list counts every flow that matches'),
)

const list = defineStatement(
  'flows.list',
  {
    org_id: uuid,
    archived: bool,
    public_only: bool,
    search_by_name: nullable(text),
    case_sensitive: bool,
    tags: nullable(texts),
    sort: text,
    descending: bool,
    limit: nullable(int),
    offset: count,
  },
  FLOW,
  `select * from (
     select ${toSelectList('f', FLOW)}
     from flows f join templates t on t.org_id = f.org_id and t.template_id = f.template_id
     where ${MATCHING} and (f.archived_at is not null) = :archived::boolean
   ) listed
   order by
     case when :sort::text = 'latest_activity' and :descending::boolean then latest_activity_at end desc nulls last,
     case when :sort = 'latest_activity' and not :descending then latest_activity_at end asc nulls first,
     case when :descending then name end desc,
     name asc
   limit :limit::int offset :offset::bigint`,
)

/** One page of flows and the counts, in one round trip. */
export async function listFlows(db: Db, org_id: string, filter: FlowFilter, slice: Slice) {
  const { public_only, search_by_name, case_sensitive, tags } = filter
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...filter, ...slice }),
    db.run(countMatching, { org_id, public_only, search_by_name, case_sensitive, tags }),
  ])
  return { rows, counted }
}
