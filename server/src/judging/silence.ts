// Silence is a state: who listens is told once when an environment becomes stale, and once when it reports again. That it
// is stale is seen everywhere at once, because every read compares the time (domain/snapshot/silence.ts).
import type { Database, Db } from '../db/database.ts'
import { type Occasion, record } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import { announceSilence } from '../notifying/announce.ts'
import { markStale, type SilentEnvironment, unmarkStale } from './silence-store.ts'
import { type HeldEnvironment, holdForSnapshot } from './snapshot-store.ts'

const NOBODY = 'waybill'

export async function noticeSilence(
  db: Database,
  ids: Ids,
  now: Date,
  silent: SilentEnvironment,
): Promise<void> {
  const { org_id, environment_id } = silent
  const occasion = { org: { org_id }, caller: { name: NOBODY }, now, request_id: 'judge' }
  await db.inTransaction({ org_id }, async tx => {
    // Held first, as every report does.
    const environment = await holdForSnapshot(tx, org_id, environment_id)
    const marked = environment && (await markStale(tx, silent, now))
    if (!marked) return
    const last_reported_at = epochOf(marked.last_reported_at)
    const { expected_report_interval } = marked
    const data = { environment_name: environment.name, last_reported_at, expected_report_interval }
    await record(tx, occasion, ids, { kind: 'environment_stale', environment_id, data })
    const silence = { last_reported_at, expected_report_interval }
    await announceSilence(tx, occasion, ids, { environment_id, event_type: 'STALE_ENV', silence })
  })
}

/** In the transaction of the report that ends it, with the environment held. */
export async function endSilence(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  { environment_id, name }: HeldEnvironment,
): Promise<void> {
  const { org_id } = occasion.org
  await unmarkStale(tx, { org_id, environment_id })
  const data = { environment_name: name }
  await record(tx, occasion, ids, { kind: 'environment_reporting_again', environment_id, data })
  await announceSilence(tx, occasion, ids, { environment_id, event_type: 'REPORTING_ENV', silence: null })
}

function epochOf(moment: Date | null): number | null {
  return moment && moment.getTime() / 1000
}
