// DELETE /organizations/{org}/environments_notifications/{number}: nobody is told any more. The number is not given again.
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
    description: 'What is still on its way is not sent. Its number is not given again.',
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
