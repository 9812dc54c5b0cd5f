// GET /notification-deliveries/{org}: deliveries, sent and pending, newest first.

import { toWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { readEpochBounds } from '../shared/epoch-times.ts'
import { OrgPath } from '../shared/fields.ts'
import { parseCursor, toIdAfter, toIdBefore } from '../shared/id-bounds.ts'
import * as store from './store.ts'
import { Deliveries, DeliveriesQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 50
/** The most deliveries that one call scans for a filter. */
const MAX_EXAMINED = 10_000

export const listNotificationDeliveries = defineOperation(
  {
    id: 'listNotificationDeliveries',
    method: 'GET',
    path: '/notification-deliveries/{org}',
    tag: 'Notifications',
    summary: 'List deliveries and their results',
    description:
      'Newest first. If `next` is not null there may be more: send it as `cursor`. Pages before the last one can be short or ' +
      `empty, because each request applies the filter to at most ${MAX_EXAMINED.toLocaleString('en')} deliveries.`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: DeliveriesQuery,
    returns: Deliveries,
    fails: [400, 403],
    example: { query: { status: 'failed', per_page: '10' } },
  },
  ({ query, org }, { db, sealer }) => {
    const { per_page = DEFAULT_PER_PAGE } = query
    const scan = buildScan(query, per_page)
    const viewer = { is_admin: org.role === 'admin', sealer }
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const found = await store.scanDeliveries(tx, org.org_id, scan)
      const job_ids = found.job_ids.slice(0, per_page)
      const rows = await store.listDeliveriesByIds(tx, org.org_id, job_ids)
      const deliveries = rows.map(row => toWire(row, viewer))
      return { deliveries, next: getNextCursor(found, job_ids, scan.max_examined) }
    })
  },
)

function buildScan(query: DeliveriesQuery, per_page: number): store.Scan {
  const { number = null, notification_type = null, event_type = null, status = null } = query
  const { from_at, to_at } = readEpochBounds(query, 'from', 'to')
  const filter = { number, notification_type, event_type, status, from_at, to_at }
  const is_filtered = Object.values(filter).some(value => value !== null)
  return {
    ...filter,
    before_id: query.cursor === undefined ? toIdAfter(to_at) : parseCursor(query.cursor),
    not_before_id: toIdBefore(from_at),
    max_examined: is_filtered ? MAX_EXAMINED : per_page + 1,
    limit: per_page + 1,
  }
}

function getNextCursor(
  found: store.FoundDeliveries,
  shown_ids: readonly string[],
  max_examined: number,
): string | null {
  const last = shown_ids.at(-1)
  if (last !== undefined && found.job_ids.length > shown_ids.length) return toWireId(last)
  return found.examined === max_examined && found.last_id !== null ? toWireId(found.last_id) : null
}
