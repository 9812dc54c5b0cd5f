// Opens a new log after a loss of data: never a silent fork. Its first leaf names the log it continues, how far that
// log was signed, how much of it is left, and why.
import type { Db } from '../db/database.ts'
import type { AnchorStore } from '../evidence/evidence.ts'
import { assert } from '../lib/assert.ts'
import { compareAges, listAnchors } from './anchors.ts'
import { findStoredCheckpoint } from './checkpoint-store.ts'
import { findLogName } from './keys-store.ts'
import { openNextEpoch } from './reopen-store.ts'

const NONE = { epoch: 0, size: 0 }

/** The caller records `data` as the first event of the new log, in the same transaction. */
export async function reopenLog(
  tx: Db,
  anchors: AnchorStore,
  org_id: string,
  reason: string,
): Promise<{ origin: string; data: Record<string, unknown> }> {
  const before = await findLogName(tx, org_id)
  assert(before, 'the log is open')
  const newest = (await listAnchors(anchors, org_id)).at(-1)
  const stored = await findStoredCheckpoint(tx, org_id, before.epoch)
  const isStoredNewer = stored && compareAges(newest ?? NONE, { epoch: before.epoch, size: stored.size }) < 0
  const checkpoint = isStoredNewer ? stored.note : (newest?.text ?? null)
  // The database may be from before the log was last reopened.
  const epoch = Math.max(before.epoch, newest?.epoch ?? 0) + 1
  const opened = await openNextEpoch(tx, org_id, epoch)
  assert(opened, 'the log is open')
  const { origin, tag_key, lost_origin, lost_size } = opened
  const previous = { origin: lost_origin, size: lost_size, checkpoint }
  return { origin, data: { origin, tag_key: tag_key.toString('hex'), reason, previous } }
}
