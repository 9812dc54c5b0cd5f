// Periodically removes jobs that finished long ago, with their attempt logs.
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { removeFinishedJobs } from './outbox.ts'

const EVERY_MS = 6 * 60 * 60 * 1000
export const KEEP_DAYS = 30
const KEEP_MS = KEEP_DAYS * 24 * 60 * 60 * 1000
/** Small enough that nobody waits long for the locks. */
const BATCH_SIZE = 1_000

export interface OutboxSweepParts {
  db: Database
  clock: Clock
  log: Log
}

/** Returns a function that stops it. Several processes may sweep at once: each takes other rows. */
export function startSweepingOutbox(parts: OutboxSweepParts): () => void {
  const timer = setInterval(() => void sweepOutboxOnce(parts), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function sweepOutboxOnce({ db, clock, log }: OutboxSweepParts): Promise<void> {
  const before = new Date(clock.now().getTime() - KEEP_MS)
  let removed = 0
  try {
    for (let portion = BATCH_SIZE; portion === BATCH_SIZE; removed += portion) {
      portion = await removeFinishedJobs(db, before, BATCH_SIZE)
    }
    if (removed > 0) log.info({ removed }, 'removed jobs that were finished long ago')
  } catch (error) {
    // Nothing depends on it: the next sweep finds the rest.
    log.warn({ err: error }, 'the outbox could not be swept')
  }
}
