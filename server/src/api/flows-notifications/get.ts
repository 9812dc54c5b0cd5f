// GET /organizations/{org}/flows_notifications/{number}: one flow notification.

import { defineOperation } from '../operation.ts'
import { getNotification } from '../shared/notifications.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { ABOUT_FLOWS } from './kind.ts'
import { FlowNotification, toWire } from './wire.ts'

export const getFlowNotification = defineOperation(
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
  async (request, deps) =>
    toWire(await getNotification(ABOUT_FLOWS, request, deps), request.org.role, deps.sealer),
)
