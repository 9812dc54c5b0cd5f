// The logs of an application: signs checkpoints, and proves what is in a log. Built from committed leaves only, and agrees
// with every other process on the same database, because all of them read the same leaves.
import {
  formatCheckpoint,
  hashRanges,
  type InclusionProof,
  listConsistencyRanges,
  listInclusionRanges,
  type SignerKey,
  signNote,
} from '@waybill/transparency-log'
import type { Database } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import type { Clock } from '../lib/clock.ts'
import { logUnsigned, notFound } from '../lib/errors.ts'
import type { Ids } from '../lib/ids.ts'
import { putNewest } from '../lib/put-newest.ts'
import type { Sealer } from '../lib/sealer.ts'
import { takeTurns } from '../lib/take-turns.ts'
import type { KnownCheckpoint } from './anchors.ts'
import { addKey, isActive, type LogName, listReplacedKeys, openKey, retireKey } from './keys.ts'
import { listLogKeys, type StoredLogKey } from './keys-store.ts'
import { appendPage, LogLost, loadTree, PAGE, requireSigned } from './open-log.ts'
import { makeNodeReader } from './read-nodes.ts'
import type { Tree } from './tree.ts'
import { findGrowth, type Growth } from './tree-store.ts'

/** About 100 KB each. */
const MAX_OPEN_LOGS = 500
/** A log that has lost leaves is looked at again after this time. */
const LOOK_AGAIN_MS = 10_000
/** Nothing is signed while nothing reaches the anchor for so long. Writes go on. */
const MAX_UNANCHORED_MS = 10 * 60 * 1000

export interface LogsParts {
  db: Database
  evidence: EvidenceStore
  sealer: Sealer
  clock: Clock
  ids: Ids
}

export interface SignedCheckpoint extends KnownCheckpoint {
  origin: string
}

export interface ProvedLeaf {
  index: number
  /** If it is known, the leaf in the log must have it. */
  leaf_hash?: Buffer
}

export interface Logs {
  /** A checkpoint of the log as it is now; `size` says how much it must cover if that suffices. */
  sign(org_id: string, size?: number): Promise<SignedCheckpoint>
  /** For the anchor: also when nothing has reached it for long. */
  signForAnchor(org_id: string): Promise<SignedCheckpoint>
  /** A checkpoint of exactly this size. */
  signAt(org_id: string, size: number): Promise<SignedCheckpoint>
  /** Undefined if the log has no such leaf. */
  prove(org_id: string, leaf: ProvedLeaf, checkpoint: SignedCheckpoint): Promise<InclusionProof | undefined>
  proveConsistency(org_id: string, epoch: number, from: number, to: number): Promise<Buffer[]>
  /** What is wrong with a log that cannot be signed; undefined if all can. */
  findProblem(): string | undefined
}

/** A log that this process has read. */
interface OpenLog extends LogName {
  tree: Tree
  key_rows: readonly StoredLogKey[]
  keys: readonly SignerKey[]
  key_changes: number
  unanchored_ms: number | null
}

export function makeLogs(parts: LogsParts): Logs {
  const { db, clock } = parts
  const open = new Map<string, OpenLog>()
  /** The newest that this process has signed. */
  const signed = new Map<string, SignedCheckpoint>()
  const lost = new Map<string, { sentence: string; at_ms: number }>()

  const readOn = takeTurns(async org_id => {
    const known = lost.get(org_id)
    if (known && clock.monotonic_ms() - known.at_ms < LOOK_AGAIN_MS) throw logUnsigned(known.sentence)
    try {
      const log = await advance(parts, org_id, { log: open.get(org_id), signed: signed.get(org_id) })
      putNewest(open, org_id, log, MAX_OPEN_LOGS)
      lost.delete(org_id)
      return log
    } catch (error) {
      // What it has read may not be stored.
      open.delete(org_id)
      if (!(error instanceof LogLost)) throw error
      lost.set(org_id, { sentence: error.message, at_ms: clock.monotonic_ms() })
      throw logUnsigned(error.message)
    }
  })

  const signNow = async (org_id: string): Promise<SignedCheckpoint> => {
    const log = await readOn(org_id)
    const size = log.tree.getSize()
    const before = signed.get(org_id)
    if (before && before.epoch === log.epoch && before.size === size && isSignedBy(before, log.keys))
      return before
    const checkpoint = await signTree(log, size, log.tree.getRoot())
    const meanwhile = signed.get(org_id)
    const is_newest = !meanwhile || meanwhile.epoch < checkpoint.epoch || meanwhile.size <= size
    if (is_newest) putNewest(signed, org_id, checkpoint, MAX_OPEN_LOGS)
    return checkpoint
  }

  const refuseUnanchored = (org_id: string) => {
    const { unanchored_ms } = open.get(org_id) ?? {}
    if ((unanchored_ms ?? 0) > MAX_UNANCHORED_MS)
      throw logUnsigned('checkpoints have not reached the evidence store for more than 10 minutes')
  }

  const sign: Logs['sign'] = async (org_id, at_least) => {
    const before = signed.get(org_id)
    const is_enough = before && at_least !== undefined && before.size >= at_least && !lost.has(org_id)
    const checkpoint = is_enough ? before : await signNow(org_id)
    refuseUnanchored(org_id)
    return checkpoint
  }

  const findTree = (org_id: string, epoch: number) => {
    const log = open.get(org_id)
    return log?.epoch === epoch ? log.tree : undefined
  }

  return {
    sign,
    signForAnchor: signNow,
    signAt: async (org_id, size) => {
      const newest = await sign(org_id, size)
      if (newest.size === size) return newest
      if (size > newest.size)
        throw notFound(`The log has ${newest.size} leaves; there is no checkpoint of ${size}`)
      const log = open.get(org_id) ?? (await readOn(org_id))
      const read = makeNodeReader(db, { org_id, epoch: log.epoch, size, tree: log.tree })
      const [root] = await hashRanges([{ start: 0, end: size }], read)
      return signTree(log, size, root as Buffer)
    },
    prove: async (org_id, { index, leaf_hash }, { epoch, size, note }) => {
      if (index >= size) return undefined
      const read = makeNodeReader(db, { org_id, epoch, size, tree: findTree(org_id, epoch) })
      // The log may have been reopened since the leaf was numbered.
      if (leaf_hash && !(await read([{ level: 0, number: index }]))[0]?.equals(leaf_hash)) return undefined
      return { index, hashes: await hashRanges(listInclusionRanges(index, size), read), checkpoint: note }
    },
    proveConsistency: (org_id, epoch, from, to) => {
      const read = makeNodeReader(db, { org_id, epoch, size: to, tree: findTree(org_id, epoch) })
      return hashRanges(listConsistencyRanges(from, to), read)
    },
    findProblem: () => {
      const [first] = lost
      return first && `log of organization ${first[0]}: ${first[1].sentence}`
    },
  }
}

function isSignedBy({ note }: SignedCheckpoint, keys: readonly SignerKey[]): boolean {
  const ids = note.signatures.map(({ id }) => id)
  return ids.length === keys.length && keys.every(({ id }) => ids.includes(id))
}

async function signTree(log: OpenLog, size: number, root: Buffer): Promise<SignedCheckpoint> {
  const { origin, epoch, keys } = log
  const note = await signNote(formatCheckpoint({ origin, size, root }), keys)
  return { origin, epoch, size, root, note }
}

/** Reads what was appended since, however much, and the keys if they changed. */
async function advance(
  parts: LogsParts,
  org_id: string,
  earlier: { log: OpenLog | undefined; signed: SignedCheckpoint | undefined },
): Promise<OpenLog> {
  const { db, clock } = parts
  let { log } = earlier
  for (;;) {
    const size = log?.tree.getSize() ?? 0
    // The last known leaf is read again: if it is another one, the database is another one.
    const growth = await findGrowth(db, org_id, Math.max(0, size - 1), PAGE)
    if (!growth) throw notFound('The organization has no log yet: its first event opens it')
    if (!log || log.epoch !== growth.epoch || !continues(log, growth)) {
      log = await openLog(parts, org_id, growth, earlier.signed)
      continue
    }
    await appendPage(db, log, log.tree, growth.hashes.slice(size === 0 ? 0 : 1))
    log.unanchored_ms = growth.unanchored_ms
    if (log.tree.getSize() < growth.size) continue
    if (log.key_changes !== growth.key_changes) await readKeys(parts, log, growth.key_changes)
    if (!(await changeKeys(parts, log, clock.now()))) return log
  }
}

function continues({ tree }: OpenLog, { size, hashes }: Growth): boolean {
  const known = tree.getSize()
  const last = known === 0 ? undefined : tree.find({ level: 0, number: known - 1 })
  return size >= known && (last === undefined || hashes[0]?.equals(last) === true)
}

async function openLog(
  parts: LogsParts,
  org_id: string,
  growth: Growth,
  signed: SignedCheckpoint | undefined,
): Promise<OpenLog> {
  const { epoch, origin, anchored_size, unanchored_ms, key_changes } = growth
  const tree = await loadTree(parts.db, { org_id, epoch, origin }, growth)
  const log: OpenLog = { org_id, epoch, origin, tree, key_rows: [], keys: [], key_changes, unanchored_ms }
  await readKeys(parts, log, key_changes)
  const vkeys = log.key_rows.map(({ vkey }) => vkey)
  const earlier = signed ? [signed] : []
  await requireSigned(parts.db, parts.evidence.anchors, { ...log, anchored_size }, { vkeys, earlier })
  return log
}

async function readKeys({ db, sealer }: LogsParts, log: OpenLog, key_changes: number): Promise<void> {
  const { org_id, epoch } = log
  log.key_rows = await db.withTransaction({ org_id }, tx => listLogKeys(tx, org_id, epoch))
  log.keys = log.key_rows.filter(isActive).map(row => openKey(log, row, sealer))
  log.key_changes = key_changes
}

/** The first key is made when it is needed, and a replaced one is retired. Returns whether anything changed. */
async function changeKeys({ db, sealer, ids }: LogsParts, log: OpenLog, now: Date): Promise<boolean> {
  const replaced = listReplacedKeys(log.key_rows, now)
  if (log.keys.length > 0 && replaced.length === 0) return false
  const { org_id } = log
  const context = { org: { org_id }, caller: { name: SYSTEM_ACTOR }, now, request_id: 'log' }
  await db.withTransaction({ org_id }, async tx => {
    const record: Parameters<typeof addKey>[1]['record'] = (kind, data) =>
      recordEvent(tx, context, ids, { kind, data })
    if (log.keys.length === 0) await addKey(log, { tx, sealer, now, record })
    for (const key of replaced) await retireKey(log, key, { tx, now, record })
  })
  return true
}
