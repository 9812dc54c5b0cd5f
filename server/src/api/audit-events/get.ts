// GET /audit-events/{org}/events/{event_id}: one event, so that it has an address.
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { nameControls } from './scan.ts'
import * as store from './store.ts'
import { AuditEvent, AuditEventPath, toWire } from './wire.ts'

export const getAuditEvent = defineOperation(
  {
    id: 'getAuditEvent',
    method: 'GET',
    path: '/audit-events/{org}/events/{event_id}',
    tag: 'Audit',
    summary: 'Get an audit event',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: AuditEventPath,
    returns: AuditEvent,
    fails: [403, 404],
  },
  ({ params, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const id = parseWireId(params.event_id)
      const found = id === undefined ? [] : await store.listEvents(tx, org.org_id, [id])
      const [row] = await nameControls(tx, org.org_id, found)
      if (!row) throw notFound(`Event '${params.event_id}' does not exist in '${org.name}'`)
      return toWire(row, { base_url, org: org.name })
    }),
)
