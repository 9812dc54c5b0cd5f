// Reads the hashes that proofs consist of: those near the right edge from memory, all others from the database.
import {
  HASH_BYTES,
  makeTileReader,
  type ReadSubtrees,
  type ReadTile,
  TILE_WIDTH,
} from '@waybill/transparency-log'
import type { Database } from '../db/database.ts'
import type { Tree } from './tree.ts'
import { readTileHashes, type TileHashes } from './tree-store.ts'

export interface TreeOfSize {
  org_id: string
  epoch: number
  size: number
  /** A tree of the same log, of any size. */
  tree?: Tree | undefined
}

/** A complete subtree has the same hash in a tree of any size, so the tree in memory may be larger or smaller. */
export function makeNodeReader(db: Database, { org_id, epoch, size, tree }: TreeOfSize): ReadSubtrees {
  const readFromTiles = makeTileReader(size, readTogether(db, org_id, epoch, tree))
  return async nodes => {
    const known = nodes.map(node => tree?.find(node))
    const read = await readFromTiles(nodes.filter((_, i) => known[i] === undefined))
    let at = 0
    return known.map(hash => hash ?? (read[at++] as Buffer))
  }
}

type Tile = Parameters<ReadTile>[0]

/** Reads tiles that are requested at the same time with one wait for the database. */
function readTogether(db: Database, org_id: string, epoch: number, tree: Tree | undefined): ReadTile {
  let asked: Tile[] = []
  let reading: Promise<Buffer[]> | undefined
  const readAsked = async () => {
    // Waits until every concurrent request has arrived.
    await Promise.resolve()
    const tiles = asked.map(({ level, number, width }) => ({ level, first: number * TILE_WIDTH, width }))
    asked = []
    reading = undefined
    const read = await readTileHashes(db, org_id, epoch, tiles)
    return read.map((hashes, i) => addUnstored(hashes, tiles[i] as TileHashes, tree))
  }
  return async tile => {
    const position = asked.push(tile) - 1
    reading ??= readAsked()
    return (await reading)[position] as Buffer
  }
}

/** Adds the end of a tile that could not be stored. */
function addUnstored(hashes: Buffer, { level, first, width }: TileHashes, tree: Tree | undefined): Buffer {
  const next = first + hashes.length / HASH_BYTES
  if (next === first + width || !tree) return hashes
  const missing = tree.unstored.filter(
    root => root.level === level && root.number >= next && root.number < first + width,
  )
  return Buffer.concat([hashes, ...missing.map(({ hash }) => hash)])
}
