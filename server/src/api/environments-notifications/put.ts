// PUT /organizations/{org}/environments_notifications/{number}: replaces one.
import { defineOperation } from '../operation.ts'
import { replaceNotification } from '../shared/notification-writes.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { ABOUT_ENVIRONMENTS } from './kind.ts'
import { EnvironmentNotification, EnvironmentNotificationPut, toWire } from './wire.ts'

export const putEnvironmentNotification = defineOperation(
  {
    id: 'putEnvironmentNotification',
    method: 'PUT',
    path: '/organizations/{org}/environments_notifications/{number}',
    tag: 'Notifications',
    summary: 'Change an environment notification',
    description:
      'Replaces all fields and keeps the number. A target with the same type and address keeps its history and ' +
      'secret. A disabled target is enabled again.',
    access: 'member',
    audit: 'environment_notification_updated',
    params: NotificationPath,
    body: EnvironmentNotificationPut,
    returns: EnvironmentNotification,
    fails: [400, 403, 404],
    example: {
      body: {
        name: 'something changes in production',
        type: 'env',
        environments: ['production'],
        triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
        targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
      },
    },
  },
  (request, deps) => {
    const { body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const row = await replaceNotification(tx, ABOUT_ENVIRONMENTS, request, body.environments, deps)
      return toWire(row, org.role, deps.sealer)
    })
  },
)
