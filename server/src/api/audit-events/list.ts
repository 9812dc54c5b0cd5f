// GET /audit-events/{org}: the audit events of the organization, newest first.

import { invalid } from '../../lib/errors.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { formatInput } from '../../lib/sentences.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildScan, findSubject, MAX_EXAMINED, readPage, refuseSeveralSubjects } from './scan.ts'
import { AuditEvents, AuditEventsQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 50

export const listAuditEvents = defineOperation(
  {
    id: 'listAuditEvents',
    method: 'GET',
    path: '/audit-events/{org}',
    tag: 'Audit',
    summary: 'List audit events',
    description:
      'Newest first. While `next` is not null there may be more: send it as `cursor`. A page can be short or empty before ' +
      `the end, because one request examines at most ${MAX_EXAMINED.toLocaleString('en')} events. Events of the kind ` +
      '`environment_confirmed`, one an hour for each environment, are listed only with that `kind`.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: AuditEventsQuery,
    returns: AuditEvents,
    fails: [400, 403],
    example: { query: { kind: 'member_added', per_page: '10' } },
  },
  ({ query, org }, { db, base_url }) => {
    refuseSeveralSubjects(query)
    const { per_page = DEFAULT_PER_PAGE, cursor } = query
    const scan = buildScan(query, per_page, cursor === undefined ? undefined : parseCursor(cursor))
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const subject = await findSubject(tx, org, query)
      if (!subject) return { events: [], next: null }
      const { rows, next_id } = await readPage(tx, org.org_id, subject, scan)
      const site = { base_url, org: org.name }
      return {
        events: rows.map(row => toWire(row, site)),
        next: next_id === null ? null : toWireId(next_id),
      }
    })
  },
)

function parseCursor(cursor: string): string {
  const id = parseWireId(cursor)
  if (id === undefined) {
    throw invalid({
      'query.cursor': `Input should be the \`next\` of a page [input: ${formatInput(cursor)}]`,
    })
  }
  return id
}
