// GET /organizations/{org}/environments_notifications: all of them, newest first.
import { operation } from '../operation.ts'
import { listNotifications } from './store.ts'
import { EnvironmentNotificationList, NotificationsPath, toWire } from './wire.ts'

export const listEnvironmentNotifications = operation(
  {
    id: 'listEnvironmentNotifications',
    method: 'GET',
    path: '/organizations/{org}/environments_notifications',
    tag: 'Notifications',
    summary: 'List environment notifications',
    description: 'The one with the highest number first.',
    access: 'reader',
    audit: 'none: reads',
    params: NotificationsPath,
    returns: EnvironmentNotificationList,
    fails: [403],
  },
  async ({ org }, { db, sealer }) => {
    const rows = await listNotifications(db, org.org_id)
    return rows.map(row => toWire(row, org.role, sealer))
  },
)
