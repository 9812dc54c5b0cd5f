// The SQL that reads one leaf with its event, for the client that has just recorded it.
import { toSelectList } from '../db/columns.ts'
import type { Database } from '../db/database.ts'
import { bytes, count, defineStatement, type RowOf, uuid } from '../db/statement.ts'
import { EVENT, SELECT_EVENT } from './leaf-event-store.ts'
import { LEAF } from './tree-store.ts'

const recorded = defineStatement(
  'log.read_recorded_leaf',
  { org_id: uuid, index: count },
  {
    ...LEAF,
    tag_key: bytes,
    ...EVENT,
  },
  `select ${toSelectList('l', LEAF)}, h.tag_key, ${SELECT_EVENT}
   from log_heads h join log_leaves l on l.org_id = h.org_id and l.epoch = h.epoch and l.seq = :index
   left join events e on e.org_id = l.org_id and e.event_id = l.event_id
   where h.org_id = :org_id`,
)

export type RecordedLeaf = RowOf<typeof recorded>

/** Reads the currently open log. */
export async function findRecordedLeaf(
  db: Database,
  org_id: string,
  index: number,
): Promise<RecordedLeaf | undefined> {
  return (await db.runOnce({ org_id }, recorded, { org_id, index }))[0]
}
