// GET /organizations/{org}/environments_notifications/{number} and …/flows_notifications/{number}: one notification.
import { defineOperation } from '../operation.ts'
import { ABOUT_ENVIRONMENTS, ABOUT_FLOWS, type NotificationKind } from './kinds.ts'
import { noSuchNotification } from './notifications.ts'
import { findNotificationOnce } from './store.ts'
import { NotificationPath, toWire } from './wire.ts'

export const getEnvironmentNotification = defineGet(ABOUT_ENVIRONMENTS, {
  id: 'getEnvironmentNotification',
  summary: 'Get an environment notification',
})
export const getFlowNotification = defineGet(ABOUT_FLOWS, {
  id: 'getFlowNotification',
  summary: 'Get a flow notification',
})

function defineGet(kind: NotificationKind, { id, summary }: { id: string; summary: string }) {
  return defineOperation(
    {
      id,
      method: 'GET',
      path: `${kind.path}/{number}`,
      tag: 'Notifications',
      summary,
      access: 'reader',
      audit: 'none: reads',
      params: NotificationPath,
      returns: kind.Notification,
      fails: [400, 403, 404],
    },
    async ({ params, org }, { db, sealer }) => {
      const row = await findNotificationOnce(db, org.org_id, kind.type, params.number)
      if (!row) throw noSuchNotification(params.number, org.name)
      return toWire(kind.type, row, org.role, sealer)
    },
  )
}
