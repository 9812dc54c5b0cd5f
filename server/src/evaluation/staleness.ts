// Announces staleness: subscribers are notified once when an environment becomes stale, and once when it reports
// again. The state itself is visible at once, because every read compares the time (domain/snapshot/staleness.ts).

import type { Database, Db } from '../db/database.ts'
import { type RequestContext, recordEvent } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import type { Ids } from '../lib/ids.ts'
import { announceStaleness } from '../notifications/announce.ts'
import { type LockedEnvironment, tryLockEnvironment } from './snapshot-store.ts'
import { clearStale, markStale, type StaleEnvironment } from './staleness-store.ts'

export async function recordStale(db: Database, ids: Ids, now: Date, stale: StaleEnvironment): Promise<void> {
  const { org_id, environment_id } = stale
  const context = { org: { org_id }, caller: { name: SYSTEM_ACTOR }, now, request_id: 'evaluation' }
  await db.withTransaction({ org_id }, async tx => {
    // Locked first, as in every report. If somebody else has locked it, the next round tries again.
    const environment = await tryLockEnvironment(tx, org_id, environment_id)
    const updated = environment && (await markStale(tx, stale, now))
    if (!updated) return
    const last_reported_at = toEpoch(updated.last_reported_at)
    const { expected_report_interval } = updated
    const data = { environment_name: environment.name, last_reported_at, expected_report_interval }
    await recordEvent(tx, context, ids, { kind: 'environment_stale', environment_id, data })
    const silence = { last_reported_at, expected_report_interval }
    await announceStaleness(tx, context, ids, { environment_id, event_type: 'STALE_ENV', silence })
  })
}

/** Runs in the transaction of the report that ends the staleness, with the environment locked. */
export async function recordReportingAgain(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { environment_id, name }: LockedEnvironment,
): Promise<void> {
  const { org_id } = context.org
  await clearStale(tx, { org_id, environment_id })
  const data = { environment_name: name }
  await recordEvent(tx, context, ids, { kind: 'environment_reporting_again', environment_id, data })
  await announceStaleness(tx, context, ids, { environment_id, event_type: 'REPORTING_ENV', silence: null })
}

function toEpoch(time: Date | null): number | null {
  return time && time.getTime() / 1000
}
