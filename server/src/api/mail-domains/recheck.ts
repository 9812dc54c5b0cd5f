// Every hour, checks the proved mail domains again that were not checked for a day. Several processes may do so at once:
// a check changes nothing that another one has just found.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { checkDomain } from './check.ts'
import { listDueDomains } from './store.ts'

const EVERY_MS = 60 * 60 * 1000
const CHECKED_WITHIN_MS = 24 * 60 * 60 * 1000
/** The rest waits for the next hour. */
const MOST_AT_ONCE = 500

export interface RecheckParts {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
  readTxt(name: string): Promise<string[] | undefined>
}

/** Returns what stops it. */
export function startRecheckingDomains(parts: RecheckParts): () => void {
  const timer = setInterval(() => void recheckDomains(parts), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function recheckDomains(parts: RecheckParts): Promise<void> {
  const { db, ids, clock, log } = parts
  try {
    const before = new Date(clock.now().getTime() - CHECKED_WITHIN_MS)
    for (const { org_id, domain } of await listDueDomains(db, before, MOST_AT_ONCE)) {
      const context = {
        org: { org_id },
        caller: { name: 'waybill' },
        now: clock.now(),
        request_id: ids.next(),
      }
      await checkDomain(parts, context, domain, null)
    }
  } catch (error) {
    // Nothing is lost: the next round finds what this one did not check.
    log.warn({ err: error }, 'mail domains could not be checked')
  }
}
