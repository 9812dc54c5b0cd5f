// DELETE /organizations/{org}/environments_notifications/{number} and …/flows_notifications/{number}: deletes one. Its
// number is never reused.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { saveTargets } from '../shared/targets-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { ABOUT_ENVIRONMENTS, ABOUT_FLOWS, type NotificationKind } from './kinds.ts'
import { requireNotification, summarizeNotification, toTargetOwner } from './notifications.ts'
import * as store from './store.ts'
import { NotificationPath } from './wire.ts'

export const deleteEnvironmentNotification = defineDelete(ABOUT_ENVIRONMENTS, {
  id: 'deleteEnvironmentNotification',
  summary: 'Delete an environment notification',
})
export const deleteFlowNotification = defineDelete(ABOUT_FLOWS, {
  id: 'deleteFlowNotification',
  summary: 'Delete a flow notification',
})

function defineDelete(kind: NotificationKind, { id, summary }: { id: string; summary: string }) {
  return defineOperation(
    {
      id,
      method: 'DELETE',
      path: `${kind.path}/{number}`,
      tag: 'Notifications',
      summary,
      description: 'Cancels pending deliveries. The number is never reused.',
      access: 'member',
      audit: kind.events.deleted,
      params: NotificationPath,
      returns: Ok,
      fails: [400, 403, 404],
    },
    (request, { db, ids, sealer }) => {
      const { params, org, now } = request
      return db.withTransaction({ org_id: org.org_id }, async tx => {
        const row = await requireNotification(tx, kind, org, params.number)
        await store.deleteNotification(tx, org.org_id, row.notification_id, now)
        const removed = row.targets.map(({ target_id }) => target_id)
        await saveTargets(tx, org.org_id, toTargetOwner(row), { added: [], kept: [], removed }, now)
        await recordEvent(tx, request, ids, {
          kind: kind.events.deleted,
          data: summarizeNotification(kind, row, sealer),
          row_ids: { notification: row.notification_id },
        })
        return OK
      })
    },
  )
}
