// GET /audit-events/{org}/values: suggestions for the filters of the event log.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { MAX_EXAMINED } from './scan.ts'
import { listValues } from './store.ts'
import { AuditEventValues } from './wire.ts'

export const listAuditEventValues = defineOperation(
  {
    id: 'listAuditEventValues',
    method: 'GET',
    path: '/audit-events/{org}/values',
    tag: 'Audit',
    summary: 'List the values of audit events',
    description: `The kinds, actors, flows, environments and controls of the newest ${MAX_EXAMINED.toLocaleString('en')} events, each sorted`,
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    returns: AuditEventValues,
    fails: [403],
  },
  ({ org }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, tx => listValues(tx, org.org_id, MAX_EXAMINED)),
)
