// Brings this process's view of a log up to date: the leaves appended since the last look, and the log's keys.
import type { SignerKey } from '@waybill/transparency-log'
import type { Database } from '../db/database.ts'
import { recordEvent } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import type { Clock } from '../lib/clock.ts'
import { notFound } from '../lib/errors.ts'
import type { Ids } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { KnownCheckpoint } from './anchors.ts'
import type { LogCounters } from './counters.ts'
import { addKey, isActive, type LogName, listReplacedKeys, openKey, retireKey } from './keys.ts'
import { listLogKeys, type StoredLogKey } from './keys-store.ts'
import { appendPage, loadTree, PAGE, requireSigned } from './open-log.ts'
import type { Tree } from './tree.ts'
import { findGrowth, type Growth } from './tree-store.ts'

export interface LogsParts {
  db: Database
  evidence: EvidenceStore
  sealer: Sealer
  clock: Clock
  ids: Ids
  log: Log
}

/** Everything needed to read a log. */
export interface CountedParts extends LogsParts {
  counters: LogCounters
}

export interface SignedCheckpoint extends KnownCheckpoint {
  origin: string
}

/** A log that this process has read. */
export interface OpenLog extends LogName {
  tree: Tree
  key_rows: readonly StoredLogKey[]
  keys: readonly SignerKey[]
  key_changes: number
  unanchored_ms: number | null
}

/** Reads everything appended since, however much, and the keys if they changed. */
export async function advance(
  parts: CountedParts,
  org_id: string,
  earlier: { log: OpenLog | undefined; signed: SignedCheckpoint | undefined },
): Promise<OpenLog> {
  const { db, clock } = parts
  let { log } = earlier
  for (;;) {
    const size = log?.tree.getSize() ?? 0
    // Reads the last known leaf again: if it differs, this is another database.
    const growth = await findGrowth(db, org_id, Math.max(0, size - 1), PAGE)
    if (!growth) throw notFound('The organization has no log yet: its first event opens it')
    if (!log || log.epoch !== growth.epoch || !continues(log, growth)) {
      log = await openLog(parts, org_id, growth, earlier.signed)
      continue
    }
    await appendPage(parts, log, log.tree, growth.hashes.slice(size === 0 ? 0 : 1))
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
  parts: CountedParts,
  org_id: string,
  growth: Growth,
  signed: SignedCheckpoint | undefined,
): Promise<OpenLog> {
  const { epoch, origin, anchored_size, unanchored_ms, key_changes } = growth
  const tree = await loadTree(parts, { org_id, epoch, origin }, growth)
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

/** Creates the first key when it is needed, and retires a replaced one. Returns whether anything changed. */
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
