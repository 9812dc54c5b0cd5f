// The events of a period for an audit package. Too many events are rejected with the limit, never cut.
import type { Database } from '../../db/database.ts'
import { badRequest } from '../../lib/errors.ts'
import { buildScan, findSubject, readPage } from '../audit-events/scan.ts'
import type { EventRow } from '../audit-events/store.ts'
import type { AuditEventsFilter } from '../audit-events/wire.ts'
import type { CallerOrg } from '../operation.ts'
import { PeriodFrom, PeriodTo } from '../shared/epoch-times.ts'
import { Closed } from '../shared/wire.ts'

/** Each event is read and proved separately. */
export const MAX_PACKAGE_EVENTS = 2_000
const ROWS_PER_CHUNK = 500

export const PackagePeriod = Closed('AuditPackagePeriod', {
  from_timestamp: PeriodFrom,
  to_timestamp: PeriodTo,
})

export const tooManyEvents = () =>
  badRequest(
    `A package has at most ${MAX_PACKAGE_EVENTS.toLocaleString('en')} events, and there are more: choose a shorter period with from_timestamp and to_timestamp`,
  )

/** Newest first. */
export async function readEvents(
  db: Database,
  org: CallerOrg,
  filter: AuditEventsFilter,
): Promise<EventRow[]> {
  const { org_id } = org
  const all: EventRow[] = []
  let before_id: string | null | undefined
  while (before_id !== null) {
    const scan = buildScan(filter, ROWS_PER_CHUNK, before_id)
    const page = await db.withTransaction({ org_id }, async tx => {
      const subject = await findSubject(tx, org, filter)
      return subject && readPage(tx, org_id, subject, scan)
    })
    all.push(...(page?.rows ?? []))
    if (all.length > MAX_PACKAGE_EVENTS) throw tooManyEvents()
    before_id = page?.next_id ?? null
  }
  return all
}
