// GET /organizations/{org}/environments_notifications: all of them or one page, newest first.
import { defineOperation } from '../operation.ts'
import { listNotifications } from '../shared/notifications.ts'
import { NotificationListQuery, NotificationsPath } from '../shared/notifications-wire.ts'
import { ABOUT_ENVIRONMENTS } from './kind.ts'
import { EnvironmentNotificationList, toWire } from './wire.ts'

export const listEnvironmentNotifications = defineOperation(
  {
    id: 'listEnvironmentNotifications',
    method: 'GET',
    path: '/organizations/{org}/environments_notifications',
    tag: 'Notifications',
    summary: 'List environment notifications',
    description: 'Highest number first. A plain array, or an envelope if `page` or `per_page` is given.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: NotificationsPath,
    query: NotificationListQuery,
    returns: EnvironmentNotificationList,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20' } },
  },
  (request, deps) =>
    listNotifications(ABOUT_ENVIRONMENTS, request, deps, row => toWire(row, request.org.role, deps.sealer)),
)
