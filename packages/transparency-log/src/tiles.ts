// C2SP tlog-tiles: 256 hashes of one level in one file, and bundles of 256 entries. A tile on the right edge
// of the tree is partial. A full tile never changes.
import { ensure, LogProblem } from './problem.ts'
import type { ReadSubtrees } from './proofs.ts'
import { combineSubtrees, HASH_BYTES, type Subtree } from './tree.ts'

export const TILE_WIDTH = 256
const TILE_HEIGHT = 8
const MAX_LEVEL = 63
const MAX_ENTRY_BYTES = 65_535

export interface Tile {
  /** Level 0 has the hashes of leaves; each hash of level n + 1 is the root of a full tile of level n. */
  level: number | 'entries'
  number: number
  /** The number of hashes or entries: 256 if the tile is full. */
  width: number
}

/** The path of a tile below the log's prefix, such as `tile/0/x001/x234/067` or `tile/1/000.p/17`. */
export function formatTilePath({ level, number, width }: Tile): string {
  const digits = String(number)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const parts = padded.match(/.{3}/g) ?? []
  const folders = parts.map((part, i) => (i === parts.length - 1 ? part : `x${part}`)).join('/')
  return `tile/${level}/${folders}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

const TILE_PATH = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** Undefined if the path is not a tile path. Each tile has exactly one path. */
export function parseTilePath(path: string): Tile | undefined {
  const [, name, folders, partial] = TILE_PATH.exec(path) ?? []
  if (name === undefined || folders === undefined) return undefined
  const level = name === 'entries' ? 'entries' : Number(name)
  const number = Number(folders.replaceAll(/[x/]/g, ''))
  const tile: Tile = { level, number, width: partial === undefined ? TILE_WIDTH : Number(partial) }
  const isPossible = (level === 'entries' || level <= MAX_LEVEL) && Number.isSafeInteger(number)
  return isPossible && formatTilePath(tile) === path ? tile : undefined
}

/** The width of a tile in a tree of this size: 0 if the tree has no such tile. */
export function computeTileWidth({ level, number }: Omit<Tile, 'width'>, size: number): number {
  const count = level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, count - number * TILE_WIDTH))
}

/** Reads the hashes of a tile, 32 bytes each. */
export type ReadTile = (tile: Tile & { level: number }) => Promise<Buffer>

/** Reads subtrees from the tiles of a tree, each tile once. */
export function makeTileReader(size: number, readTile: ReadTile): ReadSubtrees {
  return async subtrees => {
    const tiles = new Map<string, Promise<Buffer>>()
    const read = (place: { level: number; number: number }): Promise<Buffer> => {
      const tile = { ...place, width: computeTileWidth(place, size) }
      const path = formatTilePath(tile)
      const found = tiles.get(path) ?? readChecked(readTile, tile)
      tiles.set(path, found)
      return found
    }
    return Promise.all(
      subtrees.map(async subtree => {
        const { tile, first, count } = findInTile(subtree)
        const bytes = await read(tile)
        ensure(
          bytes.length >= (first + count) * HASH_BYTES,
          `${formatTilePath({ ...tile, width: TILE_WIDTH })} is too short`,
        )
        return hashPart(bytes, first, count)
      }),
    )
  }
}

async function readChecked(readTile: ReadTile, tile: Tile & { level: number }): Promise<Buffer> {
  const bytes = await readTile(tile)
  const expected = tile.width * HASH_BYTES
  ensure(
    bytes.length === expected,
    `${formatTilePath(tile)} has ${bytes.length} bytes instead of ${expected}`,
  )
  return bytes
}

/** The tile that contains the hashes below a subtree, and which of them. */
function findInTile({ level, number }: Subtree) {
  const count = 2 ** (level % TILE_HEIGHT)
  const start = number * count
  return {
    tile: { level: Math.floor(level / TILE_HEIGHT), number: Math.floor(start / TILE_WIDTH) },
    first: start % TILE_WIDTH,
    count,
  }
}

function hashPart(bytes: Buffer, first: number, count: number): Buffer {
  if (count === 1) return bytes.subarray(first * HASH_BYTES, (first + 1) * HASH_BYTES)
  const half = count / 2
  return combineSubtrees([hashPart(bytes, first, half), hashPart(bytes, first + half, half)])
}

/** A bundle: each entry after its length in two bytes. */
export function formatEntries(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap(entry => {
      ensure(
        entry.length <= MAX_ENTRY_BYTES,
        `An entry has ${entry.length} bytes, and may have ${MAX_ENTRY_BYTES}`,
      )
      const length = Buffer.alloc(2)
      length.writeUInt16BE(entry.length)
      return [length, entry]
    }),
  )
}

export function parseEntries(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 <= bundle.length ? at + 2 + bundle.readUInt16BE(at) : Number.POSITIVE_INFINITY
    if (end > bundle.length) throw new LogProblem('A bundle of entries ends in the middle of an entry')
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  return entries
}
