// The statements that list trails.
import type { Db } from '../../db/database.ts'
import { bool, count, int, nullable, type RowOf, statement, text, uuid } from '../../db/statement.ts'
import type { Slice } from '../flows/store.ts'
import { isSought } from '../shared/names-store.ts'
import { TRAIL_COLUMNS, TRAIL_ROW } from './store.ts'

export interface TrailFilter {
  /** Those of archived flows instead of the others. */
  archived: boolean
  flow_id: string | null
  fingerprint: string | null
  tag_key: string | null
  tag_value: string | null
}

// Archived flows leave the lists together with their trails.
const SHOWN_FLOW = `
  f.org_id = :org_id and (f.archived_at is not null) = :archived::boolean and (:flow_id::uuid is null or f.flow_id = :flow_id)
  and (:tag_key::text is null or f.tags ->> :tag_key = :tag_value::text)`

const holdsArtifact = (trail_id: string) => `(:fingerprint::text is null or ${trail_id} in (
    select a.trail_id from artifacts a where a.org_id = :org_id and a.fingerprint = :fingerprint))`

const MATCHING = `
  r.org_id = :org_id and (:flow_id::uuid is null or r.flow_id = :flow_id) and ${SHOWN_FLOW}
  and ${holdsArtifact('r.trail_id')}`

const FILTER = {
  org_id: uuid,
  archived: bool,
  flow_id: nullable(uuid),
  fingerprint: nullable(text),
  tag_key: nullable(text),
  tag_value: nullable(text),
}

const LISTED = 'from trails r join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id'

const countMatching = statement(
  'trails.count',
  FILTER,
  { total: count },
  `select count(*) as total ${LISTED} where ${MATCHING}`,
)

const PAGE = { ...FILTER, most: nullable(int), skip: count }

const NEWEST_FIRST = 'order by r.trail_id desc limit :most::int offset :skip::bigint'

const list = statement(
  'trails.list',
  PAGE,
  TRAIL_ROW,
  `select ${TRAIL_COLUMNS} ${LISTED} where ${MATCHING} ${NEWEST_FIRST}`,
)

// Statements of their own, for they begin at the words; what is found is looked up for one page only.
const NAMED = `
  from trail_words w
  where ${isSought(`select f.flow_id from flows f where ${SHOWN_FLOW}`)} and ${holdsArtifact('w.trail_id')}`

const countNamed = statement(
  'trails.count_by_name',
  { ...FILTER, search_by_name: text },
  { total: count },
  `select count(distinct w.trail_id) as total ${NAMED}`,
)

const listNamed = statement(
  'trails.list_by_name',
  { ...PAGE, search_by_name: text },
  TRAIL_ROW,
  `select ${TRAIL_COLUMNS}
   from (
     select distinct w.trail_id ${NAMED}
     order by w.trail_id desc limit :most::int offset :skip::bigint
   ) named
   join trails r on r.org_id = :org_id and r.trail_id = named.trail_id
   join flows f on f.org_id = :org_id and f.flow_id = r.flow_id
   order by r.trail_id desc`,
)

export type TrailRow = RowOf<typeof list>

/** Of those whose name has the part, if there is one. */
export async function listTrails(
  db: Db,
  org_id: string,
  { search_by_name, ...filter }: TrailFilter & { search_by_name: string | undefined },
  slice: Slice,
) {
  const asked = { org_id, ...filter }
  const [rows, [counted]] = await Promise.all(
    search_by_name === undefined
      ? [db.run(list, { ...asked, ...slice }), db.run(countMatching, asked)]
      : [
          db.run(listNamed, { ...asked, ...slice, search_by_name }),
          db.run(countNamed, { ...asked, search_by_name }),
        ],
  )
  return { rows, total: counted?.total ?? 0 }
}
