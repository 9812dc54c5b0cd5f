// GET /organizations/{org}/environments_notifications/{number}: one environment notification.
import { defineOperation } from '../operation.ts'
import { getNotification } from '../shared/notifications.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { ABOUT_ENVIRONMENTS } from './kind.ts'
import { EnvironmentNotification, toWire } from './wire.ts'

export const getEnvironmentNotification = defineOperation(
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
  async (request, deps) =>
    toWire(await getNotification(ABOUT_ENVIRONMENTS, request, deps), request.org.role, deps.sealer),
)
