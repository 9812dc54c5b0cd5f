// Periodically creates the coming months of the event log, long before the first event needs them.
import type { Database } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { makeEventMonths } from './months-store.ts'

const EVERY_MS = 6 * 60 * 60 * 1000

export interface MonthParts {
  db: Database
  log: Log
}

export interface MonthPreparation {
  /** Waits for a call in progress. */
  stop(): Promise<void>
}

/** Several processes may do this at once: they take turns. */
export function startPreparingMonths(parts: MonthParts): MonthPreparation {
  let running = prepareMonthsOnce(parts)
  const timer = setInterval(() => {
    running = prepareMonthsOnce(parts)
  }, EVERY_MS)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      return running
    },
  }
}

async function prepareMonthsOnce({ db, log }: MonthParts): Promise<void> {
  try {
    const made = await makeEventMonths(db)
    if (made > 0) log.info({ made }, 'created months of the event log')
  } catch (error) {
    // Nothing depends on it yet: three months are left, and after that events_later takes every event.
    log.warn({ err: error }, 'the coming months of the event log could not be created')
  }
}
