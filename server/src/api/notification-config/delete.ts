// DELETE /notification-config/{org}/{notification_type}: restores the default recipients.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { summarizeTargets } from '../shared/targets.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { lockConfig } from './store.ts'
import { NotificationConfigPath } from './wire.ts'

export const deleteNotificationConfig = defineOperation(
  {
    id: 'deleteNotificationConfig',
    method: 'DELETE',
    path: '/notification-config/{org}/{notification_type}',
    tag: 'Notifications',
    summary: 'Delete the targets of a notification type',
    description:
      'Restores the default recipients, which depend on what each notification is about. Does nothing if no targets are configured.',
    access: 'admin',
    audit: 'notification_config_deleted',
    params: NotificationConfigPath,
    returns: Ok,
    fails: [400, 403],
    example: { params: { notification_type: 'api_key_expiry' } },
  },
  (request, { db, ids, sealer }) => {
    const { params, org, now } = request
    const { notification_type } = params
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { targets } = await lockConfig(tx, org.org_id, notification_type)
      if (targets.length === 0) return OK
      const removed = targets.map(({ target_id }) => target_id)
      const owner = { notification_id: null, notification_type }
      await saveTargets(tx, org.org_id, owner, { added: [], kept: [], removed }, now)
      const data = { notification_type, targets: summarizeTargets(targets, sealer) }
      await recordEvent(tx, request, ids, { kind: 'notification_config_deleted', data })
      return OK
    })
  },
)
