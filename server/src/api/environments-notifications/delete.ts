// DELETE /organizations/{org}/environments_notifications/{number}: deletes one. Its number is never reused.
import { defineOperation } from '../operation.ts'
import { deleteNotification } from '../shared/notifications.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { OK, Ok } from '../shared/wire.ts'
import { ABOUT_ENVIRONMENTS } from './kind.ts'

export const deleteEnvironmentNotification = defineOperation(
  {
    id: 'deleteEnvironmentNotification',
    method: 'DELETE',
    path: '/organizations/{org}/environments_notifications/{number}',
    tag: 'Notifications',
    summary: 'Delete an environment notification',
    description: 'Cancels pending deliveries. The number is never reused.',
    access: 'member',
    audit: 'environment_notification_deleted',
    params: NotificationPath,
    returns: Ok,
    fails: [400, 403, 404],
  },
  async (request, deps) => {
    await deps.db.withTransaction({ org_id: request.org.org_id }, tx =>
      deleteNotification(tx, ABOUT_ENVIRONMENTS, request, deps),
    )
    return OK
  },
)
