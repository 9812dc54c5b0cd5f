// Records that an environment was watched although nothing changed: a silent reporter would leave a hole in the log.
// Reports that make no snapshot are only counted. One event an hour, and one before each snapshot, states how many
// there were.
import type { Db } from '../db/database.ts'
import { type RequestContext, recordEvent } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import { type LockedEnvironment, lockEnvironment, markConfirmed } from './snapshot-store.ts'

/** For the first report of an hour. Does nothing if another report has recorded the hour meanwhile. */
export async function recordConfirmed(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  environment_id: string,
): Promise<void> {
  const environment = await lockEnvironment(tx, context.org.org_id, environment_id)
  const event = environment && buildConfirmation(environment)
  if (!event || (environment.confirmed_at && getHour(environment.confirmed_at) >= getHour(context.now)))
    return
  await markConfirmed(tx, context.org.org_id, { environment_id, now: context.now })
  await recordEvent(tx, context, ids, event)
}

/** A summary of the reports since the last event; undefined if there were none. */
export function buildConfirmation(environment: LockedEnvironment) {
  const { environment_id, name, unlogged_reports, unlogged_since, last_reported_at, report_sha256 } =
    environment
  if (unlogged_reports === 0) return undefined
  const data = {
    environment_name: name,
    reports: unlogged_reports,
    first_reported_at: toSeconds(unlogged_since),
    last_reported_at: toSeconds(last_reported_at),
    report_sha256,
  }
  return { kind: 'environment_confirmed' as const, environment_id, data }
}

const HOUR_MS = 3_600_000

function getHour(time: Date): number {
  return Math.floor(time.getTime() / HOUR_MS)
}

function toSeconds(time: Date | null): number | null {
  return time && time.getTime() / 1000
}
