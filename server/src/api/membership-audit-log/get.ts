// GET /membership-audit-log/{org}: who became a member, got another role or left, a page at a time.
import type { Db } from '../../db/database.ts'
import { operation } from '../operation.ts'
import { OrgPath } from '../orgs/wire.ts'
import { linkedEnvelope, linkedPageOf, type PageRequest, sliceOf } from '../shared/page.ts'
import * as store from './store.ts'
import { filterOf, HistoryPage, HistoryQuery, toWire } from './wire.ts'

export const getMembershipAuditLog = operation(
  {
    id: 'getMembershipAuditLog',
    method: 'GET',
    path: '/membership-audit-log/{org}',
    tag: 'Members',
    summary: 'Read the history of members and roles',
    description:
      'Newest first, unless told otherwise. Events that tie are in the order in which they happened.',
    access: 'admin',
    audit: 'none: reads',
    params: OrgPath,
    query: HistoryQuery,
    returns: HistoryPage,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', role: 'admin', sort_by: 'when', sort_dir: 'desc' } },
  },
  async ({ query, org, url }, { db }) => {
    const page = linkedPageOf(query)
    const { rows, total } = await db.inTransaction({ org_id: org.org_id }, tx =>
      isWhole(query) ? pageOfAll(tx, org.org_id, query, page) : pageOfMatches(tx, org.org_id, query, page),
    )
    return { ...linkedEnvelope(url, query, page, total), events: rows.map(toWire) }
  },
)

interface Found {
  rows: store.MembershipEventRow[]
  total: number
}

/** Nothing is left out, in the order of time: then the numbers of the page's events are known without looking. */
function isWhole({ sort_by, ...query }: HistoryQuery): boolean {
  return (
    (sort_by ?? 'when') === 'when' && Object.values(filterOf(query)).every(criterion => criterion === null)
  )
}

async function pageOfAll(
  tx: Db,
  org_id: string,
  { sort_dir }: HistoryQuery,
  page: PageRequest,
): Promise<Found> {
  const { most, skip } = sliceOf(page)
  const total = await store.countAll(tx, org_id)
  if (skip >= total) return { rows: [], total }
  if (sort_dir === 'asc') {
    return { rows: await store.eventsNumbered(tx, org_id, { from_no: skip + 1, to_no: skip + most }), total }
  }
  const to_no = total - skip
  const rows = await store.eventsNumbered(tx, org_id, { from_no: to_no - most + 1, to_no })
  return { rows: rows.reverse(), total }
}

async function pageOfMatches(tx: Db, org_id: string, query: HistoryQuery, page: PageRequest): Promise<Found> {
  const filter = filterOf(query)
  const order = {
    sort: query.sort_by ?? 'when',
    direction: query.sort_dir ?? 'desc',
    ...sliceOf(page),
  } as const
  const [total, rows] = await Promise.all([
    store.countMatches(tx, org_id, filter),
    store.matchesSorted(tx, org_id, filter, order),
  ])
  return { rows, total }
}
