// GET /organizations/{org}/flows_notifications: all of them or one page, newest first.

import { defineOperation } from '../operation.ts'
import { listNotifications } from '../shared/notifications.ts'
import { NotificationListQuery, NotificationsPath } from '../shared/notifications-wire.ts'
import { ABOUT_FLOWS } from './kind.ts'
import { FlowNotificationList, toWire } from './wire.ts'

export const listFlowNotifications = defineOperation(
  {
    id: 'listFlowNotifications',
    method: 'GET',
    path: '/organizations/{org}/flows_notifications',
    tag: 'Notifications',
    summary: 'List flow notifications',
    description: 'Highest number first. A plain array, or an envelope if `page` or `per_page` is given.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: NotificationsPath,
    query: NotificationListQuery,
    returns: FlowNotificationList,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20' } },
  },
  (request, deps) =>
    listNotifications(ABOUT_FLOWS, request, deps, row => toWire(row, request.org.role, deps.sealer)),
)
