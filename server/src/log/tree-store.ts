// The SQL of the tree: newly appended leaves, and the hashes for proofs.
import { toSelectList } from '../db/columns.ts'
import { computeFirst } from '../db/compute-first.ts'
import { type Database, makeStep } from '../db/database.ts'
import {
  bytes,
  count,
  counts,
  defineStatement,
  int,
  ints,
  json,
  nullable,
  type RowOf,
  readsPage,
  text,
  uuid,
} from '../db/statement.ts'
import type { TileRoot } from './tree.ts'

const HASH_BYTES = 32

// All in one snapshot, so the leaves, the keys and the head belong together. `unanchored_ms` is the age of the first leaf
// that the newest stored checkpoint lacks, by the clock that also dates the leaves.
const readGrowth = defineStatement(
  'log.read_growth',
  { org_id: uuid, from: count, limit: int },
  {
    epoch: int,
    origin: text,
    size: count,
    key_changes: count,
    anchored_size: nullable(count),
    unanchored_ms: nullable(count),
    hashes: nullable(bytes),
  },
  `select h.epoch, h.origin, h.size,
     (select count(*) + count(k.retired_at) from log_keys k where k.org_id = h.org_id and k.epoch = h.epoch) as key_changes,
     stored.size as anchored_size,
     (select (extract(epoch from clock_timestamp()) * 1000)::bigint - l.logged_ms from log_leaves l
      where l.org_id = h.org_id and l.epoch = h.epoch and l.seq = stored.size) as unanchored_ms,
     (select string_agg(page.leaf_hash, ''::bytea order by page.seq) from (
        select l.leaf_hash, l.seq from log_leaves l
        where l.org_id = h.org_id and l.epoch = h.epoch and l.seq >= :from order by l.seq limit :limit::int) page) as hashes
   from log_heads h left join lateral (
     select c.size from log_checkpoints c where c.org_id = h.org_id and c.epoch = h.epoch order by c.minute desc limit 1
   ) stored on true
   where h.org_id = :org_id`,
  readsPage,
)

export type Growth = Omit<RowOf<typeof readGrowth>, 'hashes'> & { hashes: Buffer[] }

/** The leaves from `from` on, at most `limit`. Undefined for an org without a log. */
export async function findGrowth(
  db: Database,
  org_id: string,
  from: number,
  limit: number,
): Promise<Growth | undefined> {
  const [row] = await db.runOnce({ org_id }, readGrowth, { org_id, from, limit })
  return row && { ...row, hashes: splitHashes(row.hashes) }
}

export function splitHashes(joined: Buffer | null): Buffer[] {
  const length = (joined?.length ?? 0) / HASH_BYTES
  return Array.from({ length }, (_, i) => (joined as Buffer).subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))
}

const countNodes = defineStatement(
  'log.count_nodes',
  { org_id: uuid, epoch: int },
  { nodes: count },
  `select coalesce((select n.number + 1 from log_nodes n where n.org_id = :org_id and n.epoch = :epoch and n.level = 1
     order by n.number desc limit 1), 0) as nodes`,
)

/** How many full tiles of leaves have their root stored. */
export async function countFullTiles(db: Database, org_id: string, epoch: number): Promise<number> {
  const [row] = await db.runOnce({ org_id }, countNodes, { org_id, epoch })
  return row?.nodes ?? 0
}

const storeNodes = defineStatement(
  'log.store_nodes',
  { org_id: uuid, epoch: int, nodes: json<{ level: number; number: number; hash: string }[]>() },
  {},
  `insert into log_nodes (org_id, epoch, level, number, hash)
   select :org_id, :epoch, n.level, n.number, decode(n.hash, 'hex')
   from jsonb_to_recordset(:nodes::jsonb) as n(level int, number bigint, hash text)
   on conflict do nothing`,
)

/** Has no effect on roots that another process has stored: they are the same. */
export async function storeTileRoots(
  db: Database,
  org_id: string,
  epoch: number,
  roots: readonly TileRoot[],
): Promise<void> {
  if (roots.length === 0) return
  const nodes = roots.map(({ level, number, hash }) => ({ level, number, hash: hash.toString('hex') }))
  await db.runOnce({ org_id }, storeNodes, { org_id, epoch, nodes })
}

const readLeafTiles = defineStatement(
  'log.read_leaf_tiles',
  { org_id: uuid, epoch: int, firsts: counts, widths: ints },
  { position: count, hashes: nullable(bytes) },
  `select t.position, (
     select string_agg(tile.leaf_hash, ''::bytea order by tile.seq) from (
       select l.leaf_hash, l.seq from log_leaves l
       where l.org_id = :org_id and l.epoch = :epoch and l.seq >= t.first and l.seq < ${computeFirst('t.first + t.width')}
       order by l.seq limit 256) tile) as hashes
   from unnest(:firsts::bigint[], :widths::int[]) with ordinality as t(first, width, position)`,
)

const readNodeTiles = defineStatement(
  'log.read_node_tiles',
  { org_id: uuid, epoch: int, levels: ints, firsts: counts, widths: ints },
  { position: count, hashes: nullable(bytes) },
  `select t.position, (
     select string_agg(tile.hash, ''::bytea order by tile.number) from (
       select n.hash, n.number from log_nodes n
       where n.org_id = :org_id and n.epoch = :epoch and n.level = t.level
         and n.number >= t.first and n.number < ${computeFirst('t.first + t.width')}
       order by n.number limit 256) tile) as hashes
   from unnest(:levels::int[], :firsts::bigint[], :widths::int[]) with ordinality as t(level, first, width, position)`,
)

/** Hashes of one level: of leaves, or of full tiles of the level below. */
export interface TileHashes {
  level: number
  first: number
  width: number
}

/** Reads all tiles with one wait for the database. A tile beyond the log's end comes back shorter. */
export async function readTileHashes(
  db: Database,
  org_id: string,
  epoch: number,
  tiles: readonly TileHashes[],
): Promise<Buffer[]> {
  const [leaves, nodes] = [tiles.filter(({ level }) => level === 0), tiles.filter(({ level }) => level > 0)]
  const pickColumns = (some: readonly TileHashes[]) => ({
    org_id,
    epoch,
    firsts: some.map(({ first }) => first),
    widths: some.map(({ width }) => width),
  })
  const levels = nodes.map(({ level }) => level)
  const rows = await db.runBatch({ org_id }, [
    makeStep(readLeafTiles, pickColumns(leaves)),
    makeStep(readNodeTiles, { ...pickColumns(nodes), levels }),
  ])
  const [leaf_rows = [], node_rows = []] = rows as RowOf<typeof readLeafTiles>[][]
  const found = new Map<TileHashes, Buffer>()
  const add = (some: readonly TileHashes[]) => (row: RowOf<typeof readLeafTiles>) => {
    const tile = some[row.position - 1]
    if (tile && row.hashes) found.set(tile, row.hashes)
  }
  leaf_rows.forEach(add(leaves))
  node_rows.forEach(add(nodes))
  return tiles.map(tile => found.get(tile) ?? Buffer.alloc(0))
}

/** The columns of a leaf. */
export const LEAF = {
  seq: count,
  event_id: uuid,
  kind: text,
  logged_ms: count,
  body_hash: bytes,
  tags: bytes,
  leaf_hash: bytes,
}

const leaves = defineStatement(
  'log.list_leaves',
  { org_id: uuid, epoch: int, from: count, limit: int },
  LEAF,
  `select ${toSelectList('l', LEAF)} from log_leaves l
   where l.org_id = :org_id and l.epoch = :epoch and l.seq >= :from
   order by l.seq limit :limit::int`,
  readsPage,
)

export type StoredLeaf = RowOf<typeof leaves>

export function listLeaves(
  db: Database,
  org_id: string,
  page: { epoch: number; from: number; limit: number },
): Promise<StoredLeaf[]> {
  return db.runOnce({ org_id }, leaves, { org_id, ...page })
}
