// DELETE /organizations/{org}/environments_notifications/{number}: nobody is told any more. The number is not given again.
import { record } from '../../events/record.ts'
import { operation } from '../operation.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { told } from './content.ts'
import { requireNotification } from './problems.ts'
import * as store from './store.ts'
import { NotificationPath } from './wire.ts'

export const deleteEnvironmentNotification = operation(
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
  (request, { db, ids, sealer }) => {
    const { params, org, now } = request
    return db.inTransaction({ org_id: org.org_id }, async tx => {
      const row = await requireNotification(tx, org, params.number)
      const { notification_id, targets } = row
      await store.deleteNotification(tx, org.org_id, notification_id, now)
      const removed = targets.map(({ target_id }) => target_id)
      const owner = { notification_id, notification_type: null }
      await saveTargets(tx, org.org_id, owner, { added: [], kept: [], removed }, now)
      const data = told(row, sealer)
      await record(tx, request, ids, { kind: 'environment_notification_deleted', data })
      return OK
    })
  },
)
