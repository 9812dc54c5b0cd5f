// The tree above the leaves that were read: its roots at the sizes in question, the tiles that it must have, and, if
// it is not the signed tree, the changed leaves.
import {
  appendLeaves,
  computeRoot,
  EMPTY_PEAKS,
  EMPTY_ROOT,
  formatTilePath,
  getRoot,
  HASH_BYTES,
  hashLeaf,
  type Peaks,
  parseEntries,
  TILE_WIDTH,
  type Tile,
} from '@waybill/transparency-log'
import type { Findings } from './findings.ts'
import type { LogFiles } from './log-files.ts'

export interface ReadTree {
  /** The number of leaves. */
  size: number
  /** The roots of the full bundles. */
  bundle_roots: readonly Buffer[]
  /** The hashes of the leaves after the last full bundle. */
  rest: readonly Buffer[]
  /** The root at each requested size, as far as there were leaves. */
  roots: ReadonlyMap<number, Buffer>
}

export interface TreeBuilder {
  /** The hashes of the next bundle; only the last one may have less than 256. */
  add(leaf_hashes: readonly Buffer[]): void
  /** Whether the bundle equals the one that was added. */
  isBundle(number: number, leaf_hashes: readonly Buffer[]): boolean
  finish(): ReadTree
}

export function buildTree(sizes: ReadonlySet<number>): TreeBuilder {
  const bundle_roots: Buffer[] = []
  const roots = new Map<number, Buffer>([[0, EMPTY_ROOT]])
  let peaks: Peaks = EMPTY_PEAKS
  let rest: readonly Buffer[] = []
  return {
    add: leaf_hashes => {
      const first = bundle_roots.length * TILE_WIDTH
      for (let count = 1; count <= leaf_hashes.length; count++) {
        if (sizes.has(first + count)) roots.set(first + count, addRest(peaks, leaf_hashes.slice(0, count)))
      }
      if (leaf_hashes.length < TILE_WIDTH) {
        rest = leaf_hashes
        return
      }
      const root = computeRoot(leaf_hashes)
      bundle_roots.push(root)
      peaks = appendLeaves(peaks, [root])
    },
    isBundle: (number, leaf_hashes) => {
      const known = bundle_roots[number] ?? computeRoot(rest)
      return known.equals(computeRoot(leaf_hashes))
    },
    finish: () => ({ size: bundle_roots.length * TILE_WIDTH + rest.length, bundle_roots, rest, roots }),
  }
}

/** Above the roots of full bundles, the tree continues as above leaves. */
function addRest(bundles: Peaks, rest: readonly Buffer[]): Buffer {
  return getRoot(appendLeaves({ ...bundles, size: bundles.size * TILE_WIDTH }, rest))
}

/** Requires that every tile of the folder follows from the leaves. */
export async function checkTiles(tree: ReadTree, files: LogFiles, findings: Findings): Promise<void> {
  let hashes: readonly Buffer[] = tree.bundle_roots
  for (let level = 1; hashes.length > 0; level++) {
    const above: Buffer[] = []
    for (let number = 0; number * TILE_WIDTH < hashes.length; number++) {
      const part = hashes.slice(number * TILE_WIDTH, (number + 1) * TILE_WIDTH)
      await checkTile({ level, number, width: part.length }, part, files, findings)
      if (part.length === TILE_WIDTH) above.push(computeRoot(part))
    }
    hashes = above
  }
}

export async function checkTile(
  tile: Tile,
  hashes: readonly Buffer[],
  files: LogFiles,
  findings: Findings,
): Promise<void> {
  // The leaves determine the tiles, so nothing is missing without them.
  const bytes = await files.readTile(tile)
  if (bytes && !bytes.equals(Buffer.concat(hashes)))
    findings.add('V7', 'false', `${formatTilePath(tile)} is not the tile of the leaves in the folder`)
}

const MAX_LOCATED = 5

/** Names the leaves that do not give the signed root: single ones if the tiles do give it. */
export async function locateChange(
  signed: { size: number; root: Buffer },
  tree: ReadTree,
  files: LogFiles,
  findings: Findings,
): Promise<void> {
  const say = (leaves: string) =>
    findings.add(
      'V7',
      'false',
      `${leaves} not give the signed root: at least one was changed, left out, added or moved`,
    )
  const known = await readSignedHashes(signed, files)
  if (!known) return say(`leaves 0–${signed.size - 1} do`)
  const changed = known.bundle_roots.flatMap((root, number) =>
    tree.bundle_roots[number]?.equals(root) ? [] : [number],
  )
  for (const number of changed.slice(0, MAX_LOCATED)) {
    const first = number * TILE_WIDTH
    const tile = await files.readTile({ level: 0, number, width: TILE_WIDTH })
    const hashes = tile && splitHashes(tile)
    const isSigned =
      hashes?.length === TILE_WIDTH && computeRoot(hashes).equals(known.bundle_roots[number] as Buffer)
    if (isSigned) await nameLeaves(first, hashes, files, findings)
    else say(`leaves ${first}–${first + TILE_WIDTH - 1} do`)
  }
  if (changed.length === 0)
    await nameLeaves(known.bundle_roots.length * TILE_WIDTH, known.rest, files, findings)
}

/** The hashes in the tiles, if they give the signed root. */
async function readSignedHashes({ size, root }: { size: number; root: Buffer }, files: LogFiles) {
  const full = Math.floor(size / TILE_WIDTH)
  const bundle_roots: Buffer[] = []
  for (let number = 0; number * TILE_WIDTH < full; number++) {
    const width = Math.min(TILE_WIDTH, full - number * TILE_WIDTH)
    const tile = await files.readTile({ level: 1, number, width })
    if (tile?.length !== width * HASH_BYTES) return undefined
    bundle_roots.push(...splitHashes(tile))
  }
  const width = size % TILE_WIDTH
  const tile = width === 0 ? Buffer.alloc(0) : await files.readTile({ level: 0, number: full, width })
  if (tile?.length !== width * HASH_BYTES) return undefined
  const rest = splitHashes(tile)
  const found = addRest(appendLeaves(EMPTY_PEAKS, bundle_roots), rest)
  return found.equals(root) ? { bundle_roots, rest } : undefined
}

async function nameLeaves(
  first: number,
  hashes: readonly Buffer[],
  files: LogFiles,
  findings: Findings,
): Promise<void> {
  const bundle = await files.readTile({ level: 'entries', number: first / TILE_WIDTH, width: hashes.length })
  const entries = bundle ? parseEntries(bundle) : []
  for (const [i, hash] of hashes.entries()) {
    const entry = entries[i]
    if (!entry || !hashLeaf(entry).equals(hash))
      findings.add('V7', 'false', `leaf ${first + i} is not the one that was signed`)
  }
}

function splitHashes(tile: Buffer): Buffer[] {
  return Array.from({ length: Math.floor(tile.length / HASH_BYTES) }, (_, i) =>
    tile.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  )
}
