// GET /membership-audit-log/{org}: added, changed and removed members, page by page.

import type { Db } from '../../db/database.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, type PageRequest, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import * as store from './store.ts'
import { buildFilter, HistoryPage, HistoryQuery, toWire } from './wire.ts'

export const getMembershipAuditLog = defineOperation(
  {
    id: 'getMembershipAuditLog',
    method: 'GET',
    path: '/membership-audit-log/{org}',
    tag: 'Members',
    summary: 'Read the history of members and roles',
    description:
      'Newest first by default. Events with equal sort values are in the order in which they happened.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    params: OrgPath,
    query: HistoryQuery,
    returns: HistoryPage,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', role: 'admin', sort_by: 'when', sort_dir: 'desc' } },
  },
  async ({ query, org, url }, { db }) => {
    const page = readLinkedPageRequest(query)
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      isUnfiltered(query)
        ? listAllPage(tx, org.org_id, query, page)
        : listMatchesPage(tx, org.org_id, query, page),
    )
    return { ...buildLinkedEnvelope(url, query, page, total), events: rows.map(toWire) }
  },
)

interface Found {
  rows: store.MembershipEventRow[]
  total: number
}

/** Without filters and sorted by time, the event numbers of a page follow from the page number. */
function isUnfiltered({ sort_by, ...query }: HistoryQuery): boolean {
  return (
    (sort_by ?? 'when') === 'when' && Object.values(buildFilter(query)).every(criterion => criterion === null)
  )
}

async function listAllPage(
  tx: Db,
  org_id: string,
  { sort_dir }: HistoryQuery,
  page: PageRequest,
): Promise<Found> {
  const { limit, offset } = toSlice(page)
  const total = await store.countEvents(tx, org_id)
  if (offset >= total) return { rows: [], total }
  if (sort_dir === 'asc') {
    return {
      rows: await store.listEventsInRange(tx, org_id, { from_no: offset + 1, to_no: offset + limit }),
      total,
    }
  }
  const to_no = total - offset
  const rows = await store.listEventsInRange(tx, org_id, { from_no: to_no - limit + 1, to_no })
  return { rows: rows.reverse(), total }
}

async function listMatchesPage(
  tx: Db,
  org_id: string,
  query: HistoryQuery,
  page: PageRequest,
): Promise<Found> {
  const filter = buildFilter(query)
  const order = {
    sort: query.sort_by ?? 'when',
    direction: query.sort_dir ?? 'desc',
    ...toSlice(page),
  } as const
  const [total, rows] = await Promise.all([
    store.countMatches(tx, org_id, filter),
    store.listMatchesSorted(tx, org_id, filter, order),
  ])
  return { rows, total }
}
