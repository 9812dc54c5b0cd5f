// The statements that list artifacts.
import { toSelectList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import { bool, count, defineStatement, int, nullable, readsWholeOrg, text, uuid } from '../../db/statement.ts'
import { matchesName } from '../shared/names-store.ts'
import type { Slice } from '../shared/page.ts'
import { ARTIFACT, ARTIFACT_TABLES } from './store.ts'

const UNFILTERED = { org_id: uuid, archived: bool, limit: nullable(int), offset: count }
const PAGE = { ...UNFILTERED, flow_id: nullable(uuid), repo_id: nullable(uuid) }

const NEWEST_FIRST = 'order by a.artifact_id desc limit :limit::int offset :offset::bigint'

// Walks an index from its newest artifact and looks up the flow of each, until the page is full. A join would make the
// planner start from the flows and read all of their artifacts.
const selectPage = (filter: string) => `
   select ${toSelectList('a', ARTIFACT)}
   from artifacts a
   cross join lateral (
     select f.name, f.archived_at from flows f
     where f.org_id = :org_id and f.flow_id = a.flow_id and (f.archived_at is not null) = :archived::boolean limit 1
   ) f
   left join trails t on t.org_id = a.org_id and t.trail_id = a.trail_id
   where a.org_id = :org_id ${filter} ${NEWEST_FIRST}`

const list = defineStatement('artifacts.list', UNFILTERED, ARTIFACT, selectPage(''))

// Separate statements, each of which scans an index from its newest artifact.
const listOfFlow = defineStatement(
  'artifacts.list_of_flow',
  { ...PAGE, flow_id: uuid },
  ARTIFACT,
  selectPage('and a.flow_id = :flow_id and (:repo_id::uuid is null or a.repo_id = :repo_id)'),
)

const listOfRepo = defineStatement(
  'artifacts.list_of_repo',
  { ...UNFILTERED, repo_id: uuid },
  ARTIFACT,
  selectPage('and a.repo_id = :repo_id'),
)

const listInState = defineStatement(
  'artifacts.list_by_state',
  { ...UNFILTERED, state: text },
  ARTIFACT,
  selectPage('and a.state = :state'),
)

// With optional filters in its text, the plan for all values expects so few artifacts that it reads and sorts them all.
const listInStateOf = defineStatement(
  'artifacts.list_by_state_of',
  { ...PAGE, state: text },
  ARTIFACT,
  selectPage(
    `and a.state = :state
     and (:flow_id::uuid is null or a.flow_id = :flow_id) and (:repo_id::uuid is null or a.repo_id = :repo_id)`,
  ),
)

const LISTED_FLOWS = `
  select f.flow_id from flows f
  where f.org_id = :org_id and (f.archived_at is not null) = :archived::boolean and (:flow_id::uuid is null or f.flow_id = :flow_id)`

// Starts from the word index, newest first. That index also has words of former names, so each artifact is compared
// with its current name, one by one until the page is full.
const listNamed = defineStatement(
  'artifacts.list_by_name',
  { ...PAGE, search_by_name: text, state: nullable(text) },
  ARTIFACT,
  `select ${toSelectList('a', ARTIFACT)}
   from ${ARTIFACT_TABLES}
   join (
     select named.artifact_id
     from (
       select distinct w.artifact_id from artifact_words w where ${matchesName(LISTED_FLOWS)}
       order by w.artifact_id desc
     ) named
     cross join lateral (
       select from artifacts x
       where x.org_id = :org_id and x.artifact_id = named.artifact_id
         and position(sought_word(:search_by_name) in lower(x.filename)) > 0
         and (:repo_id::uuid is null or x.repo_id = :repo_id) and (:state::text is null or x.state = :state)
       limit 1
     ) current_name
     order by named.artifact_id desc
     limit :limit::int offset :offset::bigint
   ) page on page.artifact_id = a.artifact_id
   where a.org_id = :org_id
   order by a.artifact_id desc`,
  readsWholeOrg('every name that contains the text is looked at, to sort them by age'),
)

interface ArtifactFilter {
  /** True lists only artifacts of archived flows, false only the others. */
  archived: boolean
  flow_id: string | null
  repo_id: string | null
}

/** Newest first; `state` and `search_by_name` narrow the list further. */
export function listArtifacts(
  db: Db,
  org_id: string,
  filter: ArtifactFilter,
  { state, search_by_name }: { state?: string; search_by_name?: string },
  slice: Slice,
) {
  const params = { org_id, ...filter, ...slice }
  if (search_by_name !== undefined)
    return db.run(listNamed, { ...params, search_by_name, state: state ?? null })
  const { flow_id, repo_id } = filter
  if (state !== undefined) {
    const isOfAll = flow_id === null && repo_id === null
    return isOfAll ? db.run(listInState, { ...params, state }) : db.run(listInStateOf, { ...params, state })
  }
  if (flow_id !== null) return db.run(listOfFlow, { ...params, flow_id })
  return repo_id === null ? db.run(list, params) : db.run(listOfRepo, { ...params, repo_id })
}
