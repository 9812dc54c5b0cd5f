// GET /membership-audit-log/{org}/json: the membership history as a JSON file, streamed while the client keeps reading.
import { Readable } from 'node:stream'
import { Download, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { recordDownload } from '../shared/issued.ts'
import { toIssuedPeriod } from '../shared/issued-period.ts'
import { renderJsonList } from '../shared/json-list.ts'
import { openHistory } from './read-history.ts'
import type { MembershipEventRow } from './store.ts'
import { buildFilter, HistoryFile, HistoryFilterQuery, toWire } from './wire.ts'

export const getMembershipAuditLogJson = defineOperation(
  {
    id: 'getMembershipAuditLogJson',
    method: 'GET',
    path: '/membership-audit-log/{org}/json',
    tag: 'Members',
    summary: 'Download the history of members and roles as JSON',
    description: 'A JSON file, oldest first, with the events of the list and the exact time of each in UTC',
    access: 'admin',
    auditors: true,
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: OrgPath,
    query: HistoryFilterQuery,
    returns: HistoryFile,
    download: 'application/json',
    fails: [400, 403],
    example: { query: { source: 'script' } },
  },
  async (request, deps) => {
    const { query, org, now } = request
    const chunks = await openHistory(deps.db, org.org_id, buildFilter(query))
    const head = { organization: org.name, exported_at: now.toISOString() }
    const text = renderJsonList(head, 'events', chunks, toRecord)
    const download = new Download(`${org.name}-membership-audit-log.json`, Readable.from(text))
    const asked = { scope: 'history of members', subject: null, ...toIssuedPeriod(query) }
    return recordDownload(download, { ...asked, format: 'json' }, request, deps)
  },
)

const toRecord = (row: MembershipEventRow) => ({ happened_at: row.created_at.toISOString(), ...toWire(row) })
