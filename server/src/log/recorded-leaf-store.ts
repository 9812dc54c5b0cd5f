// The SQL that reads one leaf with its event, for the client that has just recorded it.
import { toSelectList } from '../db/columns.ts'
import type { Database } from '../db/database.ts'
import {
  bytes,
  count,
  defineStatement,
  json,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
} from '../db/statement.ts'
import { LEAF } from './tree-store.ts'

const recorded = defineStatement(
  'log.read_recorded_leaf',
  { org_id: uuid, index: count },
  {
    ...LEAF,
    tag_key: bytes,
    event_kind: nullable(text),
    happened_at: nullable(time),
    actor: nullable(text),
    request_id: nullable(text),
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    environment_id: nullable(uuid),
    policy_id: nullable(uuid),
    control_id: nullable(uuid),
    caller: nullable(text),
    data: nullable(text),
    values: nullable(json<Record<string, unknown>>()),
    parts: nullable(text),
    salt: nullable(bytes),
  },
  `select ${toSelectList('l', LEAF)}, h.tag_key, e.kind as event_kind, e.happened_at, e.actor, e.request_id,
     e.flow_id, e.trail_id, e.environment_id, e.policy_id, e.control_id, e.caller::text as caller,
     e.data::text as data, e.data as values, e.parts::text as parts, e.salt
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
