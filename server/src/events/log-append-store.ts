// The SQL that numbers events: one row for each organization holds the size of its log. Locking it makes the numbers
// gapless and gives them the order of the commits.

import { toColumns } from '../db/columns-of-rows.ts'
import { makeStep, type Step } from '../db/database.ts'
import {
  bytes,
  bytesColumn,
  count,
  defineStatement,
  PLANNED_ONCE,
  type RowOf,
  text,
  textColumn,
  uuid,
  uuidColumn,
} from '../db/statement.ts'

const readKey = defineStatement(
  'log.read_tag_key',
  { org_id: uuid },
  { tag_key: bytes },
  'select tag_key from log_heads where org_id = :org_id',
)

export type StoredKey = RowOf<typeof readKey>

export function buildReadKeyStep(org_id: string): Step {
  return makeStep(readKey, { org_id })
}

const open = defineStatement(
  'log.open',
  { org_id: uuid, tag_key: bytes },
  { origin: text, tag_key: bytes },
  `insert into log_heads (org_id, epoch, origin, size, logged_ms, tag_key)
   select :org_id, 1, coalesce((select host from log_settings), 'waybill.invalid') || '/log/' || :org_id::uuid || '/1', 0, 0,
     :tag_key
   on conflict (org_id) do nothing
   returning origin, tag_key`,
)

export type OpenedLog = RowOf<typeof open>

/** Inserts no row if the log is already open. */
export function buildOpenStep(org_id: string, tag_key: Buffer): Step {
  return makeStep(open, { org_id, tag_key })
}

// Without a head there is no number, and the transaction fails: no event is committed without its leaf. Whoever holds
// the lock is about to commit, so the wait ends soon: it may take as long as a statement.
const append = defineStatement(
  'log.append',
  {
    org_id: uuid,
    number: count,
    event_ids: uuidColumn,
    kinds: textColumn,
    contents: textColumn,
    body_hashes: bytesColumn,
    tags: bytesColumn,
  },
  { seq: count, size: count, logged_ms: count, leaf_hash: bytes },
  `with moved as (
     update log_heads set size = size + :number::bigint,
       logged_ms = greatest(logged_ms, (extract(epoch from clock_timestamp()) * 1000)::bigint)
     where org_id = :org_id
       and (select set_config('lock_timeout', current_setting('statement_timeout'), true)) is not null
     returning epoch, size, logged_ms
   )
   insert into log_leaves (org_id, epoch, seq, event_id, kind, logged_ms, body_hash, tags, leaf_hash)
   select :org_id, m.epoch, numbered.seq, i.event_id, i.kind, m.logged_ms, i.body_hash, i.tags,
     sha256('\\x00'::bytea || convert_to('waybill-leaf/v1' || e'\\nindex ' || numbered.seq || e'\\nat ' || m.logged_ms || e'\\n'
       || i.content, 'UTF8'))
   from unnest(:event_ids::uuid[], :kinds::text[], :contents::text[], :body_hashes::bytea[], :tags::bytea[])
     with ordinality as i(event_id, kind, content, body_hash, tags, position)
   left join moved m on true
   cross join lateral (select m.size - :number::bigint + i.position - 1 as seq) numbered
   returning seq, (select size from moved) as size, logged_ms, leaf_hash`,
  PLANNED_ONCE,
)

export type AppendedLeaf = RowOf<typeof append>

export type NewLeaf = {
  event_id: string
  kind: string
  /** The lines of the leaf after its number and its time. */
  content: string
  /** In hexadecimal, like the tags, which follow each other without a separator. */
  body_hash: string
  tags: string
}

/**
 * Gives the leaves the next numbers, in order. Send it last: its lock delays all other writes of the organization.
 */
export async function buildAppendStep(org_id: string, leaves: readonly NewLeaf[]): Promise<Step> {
  const { event_id, kind, content, body_hash, tags } = await toColumns(
    { event_id: 'uuid', kind: 'text', content: 'text', body_hash: 'bytes', tags: 'bytes' },
    leaves,
  )
  return makeStep(append, {
    org_id,
    number: leaves.length,
    event_ids: event_id,
    kinds: kind,
    contents: content,
    body_hashes: body_hash,
    tags,
  })
}
