// Every hour, rechecks proved mail domains whose last check is a day old. Several processes may do so at once,
// because repeating a check is harmless.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { checkDomain } from './check.ts'
import { listDueDomains } from './store.ts'

const INTERVAL_MS = 60 * 60 * 1000
const RECHECK_AFTER_MS = 24 * 60 * 60 * 1000
/** The rest waits for the next run. */
const MAX_PER_RUN = 500

export interface RecheckDeps {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
  readTxt(name: string): Promise<string[] | undefined>
}

/** Returns a function that stops it. */
export function startRecheckingDomains(deps: RecheckDeps): () => void {
  const timer = setInterval(() => void recheckDomains(deps), INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function recheckDomains(deps: RecheckDeps): Promise<void> {
  const { db, ids, clock, log } = deps
  try {
    const before = new Date(clock.now().getTime() - RECHECK_AFTER_MS)
    for (const { org_id, domain } of await listDueDomains(db, before, MAX_PER_RUN)) {
      const context = {
        org: { org_id },
        caller: { name: 'waybill' },
        now: clock.now(),
        request_id: ids.next(),
      }
      await checkDomain(deps, context, domain, null)
    }
  } catch (error) {
    // Nothing is lost: the next run checks the domains that this one missed.
    log.warn({ err: error }, 'failed to recheck mail domains')
  }
}
