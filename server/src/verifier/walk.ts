// Reads all leaves of a log in order, with their bodies, one bundle at a time: a log of any length takes the same memory,
// except for 32 bytes per 256 leaves.
import {
  formatTilePath,
  hashLeaf,
  LogProblem,
  parseEntries,
  TILE_WIDTH,
  type Tile,
} from '@waybill/transparency-log'
import { type Leaf, parseLeaf } from '../domain/log/leaf.ts'
import { parseBodies, type StoredBody } from './bodies.ts'
import type { Findings } from './findings.ts'
import { formatBodiesPath, type LogFiles, Unreadable } from './log-files.ts'
import { buildTree, checkTile, type TreeBuilder } from './tree.ts'

export interface WalkParts {
  files: LogFiles
  findings: Findings
  /** The signed number of leaves. */
  size: number
  /** Further sizes at which the root is needed. */
  sizes: ReadonlySet<number>
  /** Called for each leaf, in order. */
  look(leaf: Leaf, stored: StoredBody | undefined): void | Promise<void>
}

/** Stops at the first missing bundle. */
export async function walkLeaves({ files, findings, size, sizes, look }: WalkParts): Promise<TreeBuilder> {
  const tree = buildTree(new Set([...sizes, size]))
  const place = { next: 0, last_ms: 0 }
  for (let number = 0; number * TILE_WIDTH < size; number++) {
    const width = Math.min(TILE_WIDTH, size - number * TILE_WIDTH)
    const entries = await readEntries({ level: 'entries', number, width }, files, findings)
    if (!entries) break
    const hashes = entries.map(hashLeaf)
    tree.add(hashes)
    await checkTile({ level: 0, number, width }, hashes, files, findings)
    const bodies = await readBodies(number, width, files, findings)
    for (const entry of entries) {
      const leaf = checkLeaf(entry, place, findings)
      if (leaf) await look(leaf, bodies.get(leaf.index))
    }
    if (entries.length !== width) break
  }
  return tree
}

/** Reads the leaves again; they must not have changed meanwhile. */
export async function walkAgain(
  { files, size }: Pick<WalkParts, 'files' | 'size'>,
  tree: TreeBuilder,
  look: (leaf: Leaf) => void,
): Promise<void> {
  for (let number = 0; number * TILE_WIDTH < size; number++) {
    const width = Math.min(TILE_WIDTH, size - number * TILE_WIDTH)
    const bundle = await files.readTile({ level: 'entries', number, width })
    const entries = bundle ? parseEntries(bundle) : []
    if (!tree.isBundle(number, entries.map(hashLeaf)))
      throw new Unreadable('The folder was changed while it was read')
    for (const entry of entries) {
      const leaf = parseLeaf(entry.toString('utf8'))
      if (leaf) look(leaf)
    }
  }
}

async function readEntries(tile: Tile, files: LogFiles, findings: Findings): Promise<Buffer[] | undefined> {
  const path = formatTilePath(tile)
  const first = tile.number * TILE_WIDTH
  const bundle = await files.readTile(tile)
  if (!bundle) {
    findings.add('V7', 'false', `the leaves from ${first} on are missing: there is no file ${path}`)
    return undefined
  }
  try {
    const entries = parseEntries(bundle)
    if (entries.length !== tile.width)
      findings.add('V7', 'false', `${path} has ${entries.length} leaves instead of ${tile.width}`)
    return entries
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    findings.add('V7', 'false', `${path} is not a bundle of leaves: ${error.message}`)
    return undefined
  }
}

async function readBodies(
  number: number,
  width: number,
  files: LogFiles,
  findings: Findings,
): Promise<Map<number, StoredBody>> {
  const text = await files.readBodies(number, width)
  return text === undefined ? new Map() : parseBodies(text, formatBodiesPath(number, width), findings)
}

function checkLeaf(
  entry: Buffer,
  place: { next: number; last_ms: number },
  findings: Findings,
): Leaf | undefined {
  const index = place.next
  place.next += 1
  const leaf = parseLeaf(entry.toString('utf8'))
  if (!leaf) {
    findings.add('V7', 'false', `leaf ${index} is not a leaf of a form that is known`)
    return undefined
  }
  if (leaf.index !== index) findings.add('V7', 'false', `leaf ${leaf.index} is in the place of leaf ${index}`)
  if (leaf.at_ms < place.last_ms)
    findings.add('V7', 'false', `leaf ${index} is older than the leaf before it`)
  place.last_ms = leaf.at_ms
  return leaf
}
