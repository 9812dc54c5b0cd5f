// DELETE /organizations/{org}/flows_notifications/{number}: deletes one. Its number is never reused.

import { defineOperation } from '../operation.ts'
import { deleteNotification } from '../shared/notifications.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { OK, Ok } from '../shared/wire.ts'
import { ABOUT_FLOWS } from './kind.ts'

export const deleteFlowNotification = defineOperation(
  {
    id: 'deleteFlowNotification',
    method: 'DELETE',
    path: '/organizations/{org}/flows_notifications/{number}',
    tag: 'Notifications',
    summary: 'Delete a flow notification',
    description: 'Cancels pending deliveries. The number is never reused.',
    access: 'member',
    audit: 'flow_notification_deleted',
    params: NotificationPath,
    returns: Ok,
    fails: [400, 403, 404],
  },
  async (request, deps) => {
    await deps.db.withTransaction({ org_id: request.org.org_id }, tx =>
      deleteNotification(tx, ABOUT_FLOWS, request, deps),
    )
    return OK
  },
)
