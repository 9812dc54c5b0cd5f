// Periodically removes attachments that no attestation references: leftovers of requests that were killed between
// storing the attachment and storing the row.
import type { Database } from '../db/database.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { sweepOrphans } from '../evidence/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isEvidenceReferenced } from './store.ts'

const EVERY_MS = 6 * 60 * 60 * 1000
/** Far longer than a request may take: until its row is stored, every attachment looks unreferenced. */
const OLDER_THAN_MS = 24 * 60 * 60 * 1000

export interface SweepParts {
  db: Database
  evidence: EvidenceStore
  clock: Clock
  log: Log
}

/** Returns a function that stops it. Several processes may sweep at once: removing twice does no harm. */
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
    // Nothing depends on it: the next sweep finds the rest.
    log.warn({ err: error }, 'attachments could not be swept')
  }
}
