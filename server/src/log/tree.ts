// The right edge of a Merkle tree in memory: enough to append leaves, to compute the root and to prove recent leaves
// without reading anything. Its cost does not grow with the log.
import {
  combineSubtrees,
  hashChildren,
  listSubtrees,
  type Subtree,
  TILE_WIDTH,
} from '@waybill/transparency-log'

const TILE_HEIGHT = 8
/** How many recent leaves can be proved from memory alone. */
const RECENT_LEAVES = 256
/** Enough to include the left sibling of the next node. */
const FEWEST_NODES = 2

/** The root of a full tile: one hash of the level above it. */
export interface TileRoot {
  level: number
  number: number
  hash: Buffer
}

export interface Tree {
  getSize(): number
  getRoot(): Buffer
  /** Returns the roots of newly full tiles. */
  append(leaf_hash: Buffer): TileRoot[]
  /** Undefined for a node that is not near the right edge. */
  find(node: Subtree): Buffer | undefined
  /** Roots of full tiles that are not in the database yet. */
  readonly unstored: TileRoot[]
}

/** Consecutive nodes of one level. */
interface Level {
  first: number
  hashes: Buffer[]
}

/** The hashes of the tile on the right edge, for each level of tiles from the leaves up; none if it would be empty. */
export function makeTree(size: number, edge: readonly (readonly Buffer[])[]): Tree {
  const levels = edge.flatMap((hashes, i) => buildLevels(size / TILE_WIDTH ** i, hashes))
  let count = size
  const find = ({ level, number }: Subtree) => {
    const { first, hashes } = levels[level] ?? { first: 0, hashes: [] }
    return hashes[number - first]
  }
  const put = (level: number, number: number, hash: Buffer) => {
    const nodes = levels[level] ?? { first: number, hashes: [] }
    levels[level] = nodes
    if (nodes.hashes.length === 0) nodes.first = number
    nodes.hashes.push(hash)
    const kept = Math.max(FEWEST_NODES, RECENT_LEAVES / 2 ** level)
    if (nodes.hashes.length < 2 * kept) return
    nodes.first += nodes.hashes.length - kept
    nodes.hashes = nodes.hashes.slice(-kept)
  }
  const require = (node: Subtree): Buffer => {
    const hash = find(node)
    if (!hash)
      throw new Error(`node ${node.number} of level ${node.level} is not at the edge of ${count} leaves`)
    return hash
  }
  return {
    unstored: [],
    getSize: () => count,
    getRoot: () => combineSubtrees(listSubtrees({ start: 0, end: count }).map(require)),
    find,
    append: leaf_hash => {
      const roots: TileRoot[] = []
      let at = { level: 0, number: count, hash: leaf_hash }
      for (;;) {
        const { level, number, hash } = at
        put(level, number, hash)
        if (level > 0 && level % TILE_HEIGHT === 0) roots.push({ ...at, level: level / TILE_HEIGHT })
        if (number % 2 === 0) break
        const left = require({ level, number: number - 1 })
        at = { level: level + 1, number: (number - 1) / 2, hash: hashChildren(left, hash) }
      }
      count += 1
      return roots
    },
  }
}

/** The levels of one tile, from its hashes up. */
function buildLevels(size: number, hashes: readonly Buffer[]): Level[] {
  const first = Math.floor(size / TILE_WIDTH) * TILE_WIDTH
  const levels: Level[] = [{ first, hashes: [...hashes] }]
  while (levels.length < TILE_HEIGHT) {
    const below = levels.at(-1) as Level
    const pairs = Math.floor(below.hashes.length / 2)
    const above = Array.from({ length: pairs }, (_, i) =>
      hashChildren(below.hashes[2 * i] as Buffer, below.hashes[2 * i + 1] as Buffer),
    )
    levels.push({ first: below.first / 2, hashes: above })
  }
  return levels
}
