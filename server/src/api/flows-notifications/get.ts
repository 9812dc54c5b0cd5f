// GET /organizations/{org}/flows_notifications/{number}: one of them.
import { noSuchNotification } from '../environments-notifications/problems.ts'
import { NotificationPath } from '../environments-notifications/wire.ts'
import { operation } from '../operation.ts'
import { findNotification } from './store.ts'
import { FlowNotification, toWire } from './wire.ts'

export const getFlowNotification = operation(
  {
    id: 'getFlowNotification',
    method: 'GET',
    path: '/organizations/{org}/flows_notifications/{number}',
    tag: 'Notifications',
    summary: 'Get a flow notification',
    access: 'reader',
    audit: 'none: reads',
    params: NotificationPath,
    returns: FlowNotification,
    fails: [400, 403, 404],
  },
  async ({ params, org }, { db, sealer }) => {
    const row = await db.inTransaction({ org_id: org.org_id }, tx =>
      findNotification(tx, org.org_id, params.number),
    )
    if (!row) throw noSuchNotification(params.number, org.name)
    return toWire(row, org.role, sealer)
  },
)
