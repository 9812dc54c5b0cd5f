// Now and then, removes attachments that no attestation names: what a request left that was killed between keeping its
// attachment and storing its row.
import type { Database } from '../db/database.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { sweepOrphans } from '../evidence/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isEvidenceReferenced } from './store.ts'

const EVERY_MS = 6 * 60 * 60 * 1000
/** Far above the time a request may take: until its row is there, every attachment is an orphan. */
const OLDER_THAN_MS = 24 * 60 * 60 * 1000

export interface SweepParts {
  db: Database
  evidence: EvidenceStore
  clock: Clock
  log: Log
}

/** Returns what stops it. Several processes may sweep at once: removing twice is removing once. */
export function startSweeping(parts: SweepParts): () => void {
  const timer = setInterval(() => void sweepOnce(parts), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function sweepOnce({ db, evidence, clock, log }: SweepParts): Promise<void> {
  try {
    const isReferenced = (org_id: string, sha256: string) => isEvidenceReferenced(db, org_id, sha256)
    const { removed, removed_bytes } = await sweepOrphans(evidence, isReferenced, OLDER_THAN_MS, clock.now())
    if (removed > 0) log.info({ removed, removed_bytes }, 'removed unreferenced attachments')
  } catch (error) {
    // Nothing depends on it: the next round finds what this one did not.
    log.warn({ err: error }, 'attachments could not be swept')
  }
}
