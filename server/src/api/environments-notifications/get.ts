// GET /organizations/{org}/environments_notifications/{number}: one of them.
import { operation } from '../operation.ts'
import { noSuchNotification } from './problems.ts'
import { findNotificationOnce } from './store.ts'
import { EnvironmentNotification, NotificationPath, toWire } from './wire.ts'

export const getEnvironmentNotification = operation(
  {
    id: 'getEnvironmentNotification',
    method: 'GET',
    path: '/organizations/{org}/environments_notifications/{number}',
    tag: 'Notifications',
    summary: 'Get an environment notification',
    access: 'reader',
    audit: 'none: reads',
    params: NotificationPath,
    returns: EnvironmentNotification,
    fails: [400, 403, 404],
  },
  async ({ params, org }, { db, sealer }) => {
    const row = await findNotificationOnce(db, org.org_id, params.number)
    if (!row) throw noSuchNotification(params.number, org.name)
    return toWire(row, org.role, sealer)
  },
)
