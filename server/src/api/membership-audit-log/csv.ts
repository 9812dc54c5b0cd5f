// GET /membership-audit-log/{org}/csv: the membership history as a file. It is read in ranges of event numbers and
// streamed while the client keeps reading.

import { Readable } from 'node:stream'
import type { Database } from '../../db/database.ts'
import { Binary, Download, defineOperation } from '../operation.ts'
import { type Cell, formatCsv } from '../shared/csv.ts'
import { OrgPath } from '../shared/fields.ts'
import * as store from './store.ts'
import { buildFilter, HistoryFilterQuery, toWire } from './wire.ts'

const ROWS_PER_CHUNK = 1_000

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
    const { org_id, name } = org
    // Events that happen while the file is being sent are left out.
    const last_no = await db.withTransaction({ org_id }, tx => store.countEvents(tx, org_id))
    const text = streamCsv(db, org_id, buildFilter(query), last_no)
    return new Download(`${name}-membership-audit-log.csv`, Readable.from(text))
  },
)

/** Sends the header before reading any events. The loop stops when the client disconnects. */
async function* streamCsv(
  db: Database,
  org_id: string,
  filter: store.EventFilter,
  last_no: number,
): AsyncIterable<string> {
  yield formatCsv([COLUMNS])
  for (let from_no = 1; from_no <= last_no; from_no += ROWS_PER_CHUNK) {
    const to_no = Math.min(from_no + ROWS_PER_CHUNK - 1, last_no)
    const rows = await store.listMatchesInRange(db, org_id, filter, { from_no, to_no })
    if (rows.length > 0) yield formatCsv(rows.map(toCells))
  }
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

function toCells(row: store.MembershipEventRow): Cell[] {
  const { id, event_type, user, role, previous_role, changed_by, source, created_at } = toWire(row)
  const timestamp = row.created_at.toISOString()
  return [timestamp, created_at, id, event_type, user, role, previous_role, changed_by, source]
}
