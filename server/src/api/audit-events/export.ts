// GET /audit-events/{org}/export: all matching events as a file. They are read page by page and sent while the client
// keeps reading, so neither the size of the organization nor a slow client costs memory.
import { Readable } from 'node:stream'
import type { Database } from '../../db/database.ts'
import { Binary, type CallerOrg, Download, defineOperation } from '../operation.ts'
import { type Cell, formatCsv } from '../shared/csv.ts'
import { OrgPath } from '../shared/fields.ts'
import { recordDownload } from '../shared/issued.ts'
import { toIssuedPeriod } from '../shared/issued-period.ts'
import { renderJsonList } from '../shared/json-list.ts'
import { buildScan, findSubject, readPage, refuseSeveralSubjects } from './scan.ts'
import type { EventRow } from './store.ts'
import { AuditEventsExportQuery, type AuditEventsFilter, type Site, toWire } from './wire.ts'

const ROWS_PER_CHUNK = 500

export const exportAuditEvents = defineOperation(
  {
    id: 'exportAuditEvents',
    method: 'GET',
    path: '/audit-events/{org}/export',
    tag: 'Audit',
    summary: 'Download audit events',
    description:
      'All events that match, newest first, as CSV or JSON. Times are in UTC to the millisecond and in epoch seconds. In ' +
      'CSV, cells that a spreadsheet would run as a formula begin with an apostrophe. Events that happen while the file is ' +
      'being sent are left out.',
    access: 'admin',
    auditors: true,
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: OrgPath,
    query: AuditEventsExportQuery,
    returns: Binary,
    download: ['text/csv', 'application/json'],
    fails: [400, 403],
    example: { query: { format: 'csv', kind: 'member_added' } },
  },
  async (request, deps) => {
    const { query, org, now } = request
    const { db, base_url } = deps
    const { format = 'csv', ...filter } = query
    refuseSeveralSubjects(filter)
    // Rejects an invalid period before anything is sent.
    buildScan(filter, ROWS_PER_CHUNK, undefined)
    const site = { base_url, org: org.name }
    const pages = readPages(db, org, filter)
    const name = `${org.name}-events.${format}`
    const issued = { scope: 'events', subject: null, ...toIssuedPeriod(query), format }
    if (format === 'csv') {
      const csv = new Download(name, Readable.from(renderCsv(pages, site)), undefined, 'text/csv')
      return recordDownload(csv, issued, request, deps)
    }
    const head = { organization: org.name, exported_at: now.toISOString() }
    const toRecord = (row: EventRow) => ({ happened_at: row.happened_at.toISOString(), ...toWire(row, site) })
    const text = renderJsonList(head, 'events', pages, toRecord)
    const json = new Download(name, Readable.from(text), undefined, 'application/json')
    return recordDownload(json, issued, request, deps)
  },
)

/** The loop stops when the client disconnects. */
async function* readPages(
  db: Database,
  org: CallerOrg,
  filter: AuditEventsFilter,
): AsyncGenerator<EventRow[]> {
  const { org_id } = org
  let before_id: string | null | undefined
  while (before_id !== null) {
    const scan = buildScan(filter, ROWS_PER_CHUNK, before_id)
    const page = await db.withTransaction({ org_id }, async tx => {
      const subject = await findSubject(tx, org, filter)
      return subject && readPage(tx, org_id, subject, scan)
    })
    if (page && page.rows.length > 0) yield page.rows
    before_id = page?.next_id ?? null
  }
}

const COLUMNS = [
  'timestamp',
  'epoch_seconds',
  'id',
  'kind',
  'actor',
  'sentence',
  'flow',
  'trail',
  'environment',
  'policy',
  'control',
  'data',
  'page',
]

async function* renderCsv(pages: AsyncIterable<EventRow[]>, site: Site): AsyncGenerator<string> {
  yield formatCsv([COLUMNS])
  for await (const rows of pages) yield formatCsv(rows.map(row => toCells(row, site)))
}

function toCells(row: EventRow, site: Site): Cell[] {
  const event = toWire(row, site)
  return [
    row.happened_at.toISOString(),
    event.timestamp,
    event.id,
    event.kind,
    event.actor,
    event.sentence,
    event.flow_name ?? '',
    event.trail_name ?? '',
    event.environment_name ?? '',
    event.policy_name ?? '',
    event.control ?? '',
    JSON.stringify(event.data),
    event.html_url,
  ]
}
