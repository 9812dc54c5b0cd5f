// Opens the log of an organization in this process: builds its tree from the stored hashes and checks it against what
// was signed before. This detects a database restored from a backup, or a replica that was behind when it was
// promoted.
import { hashRanges, LogProblem, parseVerifierKey, TILE_WIDTH, verifyNote } from '@waybill/transparency-log'
import type { Database } from '../db/database.ts'
import type { AnchorStore } from '../evidence/evidence.ts'
import type { Log } from '../lib/log.ts'
import { type Anchor, type KnownCheckpoint, listAnchors, parseAnchor } from './anchors.ts'
import type { LogCounters } from './counters.ts'
import type { LogName } from './keys.ts'
import { makeNodeReader } from './read-nodes.ts'
import { makeTree, type Tree } from './tree.ts'
import {
  countFullTiles,
  findGrowth,
  type Growth,
  readTileHashes,
  splitHashes,
  storeTileRoots,
} from './tree-store.ts'

/** How many leaves are read at a time. */
export const PAGE = 4_096

/** The log no longer contains everything that was signed. Nothing is signed until an operator reopens it. */
export class LogLost extends Error {}

export const describeOlderEpoch = (epoch: number, signed: number): string =>
  `the database has epoch ${epoch} of the log, and epoch ${signed} was signed`
export const describeShorterLog = (size: number, signed: number): string =>
  `the log has ${size} leaves, and a checkpoint of ${signed} leaves was signed`
export const NO_ANCHOR = 'checkpoints were signed, and the evidence store does not have the newest one'

export interface Signed {
  /** The verifier keys of the log, including retired ones. */
  vkeys: readonly string[]
  /** Signed by this process. */
  earlier: readonly KnownCheckpoint[]
}

export interface StoringParts {
  db: Database
  log: Log
  counters: LogCounters
}

export async function loadTree(
  parts: StoringParts,
  { org_id, epoch }: LogName,
  growth: Growth,
): Promise<Tree> {
  const { db } = parts
  const full = await countFullTiles(db, org_id, epoch)
  const tree = makeTree(full * TILE_WIDTH, await readEdge(db, org_id, epoch, full))
  while (tree.getSize() < growth.size) {
    const page = await findGrowth(db, org_id, tree.getSize(), PAGE)
    if (page?.epoch !== epoch || page.hashes.length === 0)
      throw new LogLost(`the log has ${growth.size} leaves, and leaf ${tree.getSize()} is missing`)
    await appendPage(parts, { org_id, epoch }, tree, page.hashes)
  }
  return tree
}

/** The edge of the tree of full tiles. */
async function readEdge(db: Database, org_id: string, epoch: number, full: number): Promise<Buffer[][]> {
  const tiles: { level: number; first: number; width: number }[] = []
  for (let level = 1, count = full; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
    const width = count % TILE_WIDTH
    tiles.push({ level, first: count - width, width })
  }
  const hashes = await readTileHashes(db, org_id, epoch, tiles)
  return [[], ...hashes.map(splitHashes)]
}

export async function appendPage(
  { db, log, counters }: StoringParts,
  { org_id, epoch }: Omit<LogName, 'origin'>,
  tree: Tree,
  leaf_hashes: readonly Buffer[],
): Promise<void> {
  const had_unstored = tree.unstored.length > 0
  for (const hash of leaf_hashes) tree.unstored.push(...tree.append(hash))
  const roots = [...tree.unstored]
  try {
    await storeTileRoots(db, org_id, epoch, roots)
    tree.unstored.splice(0, roots.length)
  } catch (error) {
    // The hashes are read from memory and stored with the next ones. Nothing can be stored for a frozen organization.
    // Only the first failure is logged, because every look tries again.
    counters.storing_failures += 1
    if (!had_unstored)
      log.warn({ err: error, org_id, roots: roots.length }, 'hashes of a log could not be stored')
  }
}

/** Throws if the log does not contain everything that was signed. */
export async function requireSigned(
  db: Database,
  anchors: AnchorStore,
  log: LogName & { tree: Tree; anchored_size: number | null },
  { vkeys, earlier }: Signed,
): Promise<void> {
  const { org_id, epoch, tree, anchored_size } = log
  let found = await listAnchors(anchors, org_id)
  // Another process may have replaced the only anchor between listing and reading.
  if (found.length === 0 && anchored_size !== null) found = await listAnchors(anchors, org_id)
  const newest = found.at(-1)
  if (newest && newest.epoch > epoch) throw new LogLost(describeOlderEpoch(epoch, newest.epoch))
  const here = found.filter(anchor => anchor.epoch === epoch)
  if (here.length === 0 && anchored_size !== null) throw new LogLost(NO_ANCHOR)
  const known = [
    ...here.map(anchor => openAnchor(anchor, vkeys)),
    ...earlier.filter(one => one.epoch === epoch),
  ]
  for (const { size, root } of known) {
    if (size > tree.getSize()) throw new LogLost(describeShorterLog(tree.getSize(), size))
    const read = makeNodeReader(db, { org_id, epoch, size, tree })
    const [computed] = await hashRanges([{ start: 0, end: size }], read)
    if (!computed?.equals(root)) throw new LogLost(`the first ${size} leaves are not those that were signed`)
  }
}

function openAnchor(anchor: Anchor, vkeys: readonly string[]): KnownCheckpoint {
  try {
    const known = parseAnchor(anchor)
    if (verifyNote(known.note, vkeys.map(parseVerifierKey)).length > 0) return known
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
  }
  throw new LogLost(`the checkpoint ${anchor.name} in the evidence store is not signed by a key of this log`)
}
