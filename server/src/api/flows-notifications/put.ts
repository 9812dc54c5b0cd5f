// PUT /organizations/{org}/flows_notifications/{number}: replaces one.

import { defineOperation } from '../operation.ts'
import { replaceNotification } from '../shared/notification-writes.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { ABOUT_FLOWS } from './kind.ts'
import { FlowNotification, FlowNotificationPut, toWire } from './wire.ts'

export const putFlowNotification = defineOperation(
  {
    id: 'putFlowNotification',
    method: 'PUT',
    path: '/organizations/{org}/flows_notifications/{number}',
    tag: 'Notifications',
    summary: 'Change a flow notification',
    description:
      'Replaces all fields and keeps the number. A target with the same type and address keeps its history and ' +
      'secret. A disabled target is enabled again. Archived flows stay and count again once they are unarchived.',
    access: 'member',
    audit: 'flow_notification_updated',
    params: NotificationPath,
    body: FlowNotificationPut,
    returns: FlowNotification,
    fails: [400, 403, 404],
    example: {
      body: {
        name: 'releases of the backend',
        type: 'flow',
        flows: ['backend-ci'],
        triggers: ['ON_APPROVAL', 'ON_RELEASE'],
        targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
      },
    },
  },
  (request, deps) => {
    const { body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const row = await replaceNotification(tx, ABOUT_FLOWS, request, body.flows, deps)
      return toWire(row, org.role, deps.sealer)
    })
  },
)
