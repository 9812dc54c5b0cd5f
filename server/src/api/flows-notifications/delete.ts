// DELETE /organizations/{org}/flows_notifications/{number}: nobody is told by it any more.
import { record } from '../../events/record.ts'
import { deleteNotification } from '../environments-notifications/store.ts'
import { NotificationPath } from '../environments-notifications/wire.ts'
import { operation } from '../operation.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { told } from './create.ts'
import { requireNotification } from './problems.ts'

export const deleteFlowNotification = operation(
  {
    id: 'deleteFlowNotification',
    method: 'DELETE',
    path: '/organizations/{org}/flows_notifications/{number}',
    tag: 'Notifications',
    summary: 'Delete a flow notification',
    description: 'What is still on its way is not sent. Its number is not given again.',
    access: 'member',
    audit: 'flow_notification_deleted',
    params: NotificationPath,
    returns: Ok,
    fails: [400, 403, 404],
  },
  async (request, { db, ids, sealer }) => {
    const { params, org, now } = request
    await db.inTransaction({ org_id: org.org_id }, async tx => {
      const row = await requireNotification(tx, org, params.number)
      const { notification_id, targets } = row
      await deleteNotification(tx, org.org_id, notification_id, now)
      const removed = targets.map(({ target_id }) => target_id)
      const owner = { notification_id, notification_type: null }
      await saveTargets(tx, org.org_id, owner, { added: [], kept: [], removed }, now)
      await record(tx, request, ids, { kind: 'flow_notification_deleted', data: told(row, sealer) })
    })
    return OK
  },
)
