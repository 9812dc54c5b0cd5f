// GET /membership-audit-log/{org}/csv: the membership history as a file, streamed while the client keeps reading.

import { Readable } from 'node:stream'
import { Binary, Download, defineOperation } from '../operation.ts'
import { type Cell, formatCsv } from '../shared/csv.ts'
import { OrgPath } from '../shared/fields.ts'
import { openHistory } from './read-history.ts'
import type { MembershipEventRow } from './store.ts'
import { buildFilter, HistoryFilterQuery, toWire } from './wire.ts'

export const getMembershipAuditLogCsv = defineOperation(
  {
    id: 'getMembershipAuditLogCsv',
    method: 'GET',
    path: '/membership-audit-log/{org}/csv',
    tag: 'Members',
    summary: 'Download the history of members and roles',
    description:
      'A CSV file, oldest first, with one row for each event. Cells that a spreadsheet would run as a formula begin ' +
      'with an apostrophe.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    params: OrgPath,
    query: HistoryFilterQuery,
    returns: Binary,
    download: 'text/csv',
    fails: [400, 403],
    example: { query: { source: 'script' } },
  },
  async ({ query, org }, { db }) => {
    const chunks = await openHistory(db, org.org_id, buildFilter(query))
    return new Download(`${org.name}-membership-audit-log.csv`, Readable.from(renderCsv(chunks)))
  },
)

/** Sends the header before reading any events. */
async function* renderCsv(chunks: AsyncIterable<MembershipEventRow[]>): AsyncIterable<string> {
  yield formatCsv([COLUMNS])
  for await (const rows of chunks) yield formatCsv(rows.map(toCells))
}

const COLUMNS = [
  'timestamp',
  'epoch_seconds',
  'id',
  'event',
  'user',
  'role',
  'previous_role',
  'changed_by',
  'source',
]

function toCells(row: MembershipEventRow): Cell[] {
  const { id, event_type, user, role, previous_role, changed_by, source, created_at } = toWire(row)
  const timestamp = row.created_at.toISOString()
  return [timestamp, created_at, id, event_type, user, role, previous_role, changed_by, source]
}
