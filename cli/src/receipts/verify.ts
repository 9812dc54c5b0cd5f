// Verifies that what receipts are about is still in the log of a service: in the tree of its newest checkpoint, which
// must contain every tree that the receipts saw. Believes nothing that the service says.

import { hash } from 'node:crypto'
import {
  formatVerifierKey,
  hashRanges,
  isConsistent,
  LogProblem,
  listConsistencyRanges,
  makeTileReader,
  parseCheckpoint,
  parseNote,
  TILE_WIDTH,
  type VerifierKey,
} from '@waybill/transparency-log'
import { isEarlierLog } from '../../../server/src/verifier/reopened.ts'
import { Problem } from '../program/problem.ts'
import {
  CHANGED,
  findProblems,
  isSignedBy,
  judgeSignatures,
  listSigners,
  parseKey,
  readTree,
  type SignedTree,
} from './check.ts'
import { followKeys, hasLeaf, type LogView, readLeafData } from './follow-keys.ts'
import { type LogSource, makeTileRead, readEpoch } from './log-source.ts'
import type { SeenLog } from './outline.ts'
import type { Kept } from './receipt.ts'

/** `note` changes nothing about the verdict. */
type Level = 'false' | 'unknown' | 'note'

export interface Finding {
  level: Level
  text: string
}

export interface Comparison {
  source: LogSource
  /** A name of the log for people. */
  named: string
  /** The service that is asked: it must show the log of the receipts that came from it. */
  host: string
  /** The logs that the receipts saw, by origin. */
  seen: ReadonlyMap<string, SeenLog>
  /** The key that the caller trusts; by default the one in the first receipt. */
  key: VerifierKey | undefined
}

type JudgeReceipt = (each: Kept) => Promise<Finding[]>

export interface Compared {
  log: { origin: string; size: number; signed_by: string } | undefined
  /** What was found before any receipt was judged. */
  findings: Finding[]
  judge: JudgeReceipt
}

export async function compareWithLog(comparison: Comparison): Promise<Compared> {
  const { source, named } = comparison
  try {
    return await compareWithTree(await readNewest(source), comparison)
  } catch (error) {
    const why = explain(error)
    const findings: Finding[] = [{ level: 'unknown', text: `${named} cannot be judged: ${why}` }]
    // A service that has lost leaves signs nothing, and still shows what it has.
    const isStopped = error instanceof Problem && error.status === 503
    const judgeStored: JudgeReceipt = each => (isStopped ? compareStored(each, comparison) : none())
    return { log: undefined, findings, judge: makeJudge(judgeStored, { keys: [], tag_key: undefined }) }
  }
}

const none = async (): Promise<Finding[]> => []

/** Why something that comes from the service cannot be judged. Any other error is a bug. */
function explain(error: unknown): string {
  if (error instanceof Problem || error instanceof LogProblem) return error.message
  throw error
}

async function readNewest(source: LogSource): Promise<SignedTree> {
  const note = parseNote(await source.readCheckpoint())
  return { ...parseCheckpoint(note.text), note }
}

async function compareWithTree(newest: SignedTree, comparison: Comparison): Promise<Compared> {
  const { source, named } = comparison
  const { origin, size, note } = newest
  const view = { source, newest, read: makeTileReader(size, makeTileRead(source, origin)) }
  const keys = await trustKeys(view, comparison)
  const signed_by = keys.filter(key => isSignedBy(note, [key])).map(({ id }) => id)
  const tag_key = await readTagKey(view)
  const findings: Finding[] = []
  if (signed_by.length === 0) findings.push({ level: 'unknown', text: explainKeys(newest, keys, named) })
  if (tag_key === undefined)
    findings.push({ level: 'note', text: 'The body of leaf 0 is not to be had, so tags were not compared' })
  const compareTree = makeTreeComparison(view)
  const judgePlace: JudgeReceipt = each =>
    [origin, null].includes(each.receipt.origin)
      ? comparePlace(each, view, compareTree)
      : explainOther(each, origin, comparison)
  const log = { origin, size, signed_by: signed_by.join(', ') }
  return { log, findings, judge: makeJudge(judgePlace, { keys, tag_key }) }
}

/** The caller's key, or the one of the first receipt, and those that took over from it. */
async function trustKeys(view: LogView, { key, seen }: Comparison): Promise<VerifierKey[]> {
  const { newest } = view
  const log = seen.get(newest.origin)
  const pinned = key ?? parseKey(log?.vkey, newest.origin)
  const keys = pinned === undefined ? [] : [pinned]
  return followKeys(keys, keys.map(formatVerifierKey), [...(log?.trees.values() ?? []), newest], view)
}

function explainKeys({ note }: SignedTree, keys: readonly VerifierKey[], named: string): string {
  const trusted = keys.map(({ id }) => id).join(', ')
  return keys.length === 0
    ? `No receipt names the key of ${named}: name one that you trust with --vkey`
    : `WARNING: ${named} is signed by ${listSigners(note)}, and nothing that ${trusted} signed says that this key took over. ` +
        'Ask the operator, and compare the key with what somebody else tells you (--vkey)'
}

/** Leaf 0 commits to the tag key. Undefined if its body is not to be had. */
async function readTagKey(view: LogView): Promise<Buffer | undefined> {
  const opened = await readLeafData(0, view).catch((error: unknown) => void explain(error))
  const { tag_key } = opened?.data ?? {}
  const isOfLog = opened && (await hasLeaf(view.newest, { index: 0, ...opened }, view))
  return isOfLog && typeof tag_key === 'string' ? Buffer.from(tag_key, 'hex') : undefined
}

interface Secrets {
  keys: readonly VerifierKey[]
  tag_key: Buffer | undefined
}

/** Judges a receipt by itself, then by its place in the log. */
function makeJudge(judgePlace: JudgeReceipt, { keys, tag_key }: Secrets): JudgeReceipt {
  const tag_key_sha256 = tag_key && hash('sha256', tag_key, 'hex')
  const places: Places = new Map()
  let isAway = false
  return async each => {
    const { receipt } = each
    const problems = [
      ...findProblems(receipt, tag_key),
      ...findChange(receipt, keys),
      ...findOtherTagKey(receipt, tag_key_sha256),
      ...findOtherWrite(each, places),
    ]
    const findings: Finding[] = problems.map(text => ({ level: 'false', text: `${describe(each)}: ${text}` }))
    if (isAway) return findings
    try {
      return [...findings, ...(await judgePlace(each))]
    } catch (error) {
      const text = `${describe(each)}: it cannot be judged: ${explain(error)}`
      isAway = error instanceof Problem
      return [...findings, { level: 'unknown', text }]
    }
  }
}

/** Whoever else has signed does not matter: the newest tree, which a trusted key signed, must contain this one. */
function findChange(receipt: Kept['receipt'], keys: readonly VerifierKey[]): string[] {
  const tree = readTree(receipt)
  return tree && judgeSignatures(tree.note, keys) === 'changed' ? [CHANGED] : []
}

function findOtherTagKey(
  { tag_key_sha256: own }: Kept['receipt'],
  opened_with: string | undefined,
): string[] {
  if (own === null || opened_with === undefined || own === opened_with) return []
  return ['its tag key is not the one the log was opened with']
}

/** The first receipt of each leaf. */
type Places = Map<string, { line: number; request: string }>

/** A service that drops a write could hand over the leaf of an earlier one. Only a repeated write has the same leaf. */
function findOtherWrite({ line, receipt }: Kept, places: Places): string[] {
  const { origin, index, request } = receipt
  const place = `${origin} ${index}`
  const known = places.get(place)
  if (known === undefined) places.set(place, { line, request })
  return known === undefined || known.request === request
    ? []
    : [`its leaf is also the one of line ${known.line}, which is another write`]
}

type CompareTree = (tree: SignedTree) => Promise<string | undefined>

/** Each tree once: the receipts of a moment saw the same one. */
function makeTreeComparison({ newest, read }: LogView): CompareTree {
  const known = new Map<string, Promise<string | undefined>>()
  const compare = async ({ size, root }: SignedTree) => {
    const proof = await hashRanges(listConsistencyRanges(size, newest.size), read)
    return isConsistent({ from: { size, root }, to: newest }, proof)
      ? undefined
      : `the log was rewritten: its first ${size} leaves are not those that the receipt saw`
  }
  return tree => {
    const name = `${tree.size} ${tree.root.toString('base64')}`
    const found = known.get(name) ?? compare(tree)
    known.set(name, found)
    return found
  }
}

async function comparePlace(each: Kept, view: LogView, compareTree: CompareTree): Promise<Finding[]> {
  const { index, leaf_hash } = each.receipt
  const { size } = view.newest
  const tree = readTree(each.receipt)
  const seen = tree?.size ?? index + 1
  const problem =
    seen > size
      ? `it saw ${seen} leaves, and there are ${size}: an old state is being shown`
      : (await hasLeaf(view.newest, { index, leaf_hash: Buffer.from(leaf_hash, 'base64') }, view))
        ? tree && (await compareTree(tree))
        : `its leaf is not in the log of ${size} leaves`
  return problem === undefined ? [] : [{ level: 'false', text: `${describe(each)}: ${problem}` }]
}

/** The receipt is of another log than the one that is shown. */
async function explainOther(each: Kept, origin: string, comparison: Comparison): Promise<Finding[]> {
  const { receipt } = each
  const own = receipt.origin ?? ''
  if (isEarlierLog(own, origin)) return compareStored(each, comparison)
  const text = `${describe(each)}: it is of the log ${own}, and ${comparison.named} is ${origin}`
  return [{ level: receipt.host === comparison.host ? 'false' : 'unknown', text }]
}

/**
 * Nothing newer is signed: the operator closed the log after a loss of data, or the service has noticed one. The
 * receipt proves what was at this place, so anything else there is false.
 */
async function compareStored(each: Kept, { source, named }: Comparison): Promise<Finding[]> {
  const { index, leaf_hash, origin } = each.receipt
  if (origin === null) return []
  const number = Math.floor(index / TILE_WIDTH)
  const tile = { level: 0, number, width: (index % TILE_WIDTH) + 1 }
  const bytes = await source.readTile(readEpoch(origin), tile)
  const isThere = bytes?.subarray(-32).toString('base64') === leaf_hash
  const text = isThere
    ? `${describe(each)}: its leaf is still stored, and no newer checkpoint of ${origin} covers it`
    : `${describe(each)}: ${named} does not have its leaf any more`
  return [{ level: isThere ? 'unknown' : 'false', text }]
}

const describe = ({ line, receipt: { index, request, kept_at } }: Kept): string =>
  `the receipt on line ${line} (leaf ${index}, ${request}, ${kept_at})`
