// POST /organizations/{org}/environments_notifications/{number}/test and …/flows_notifications/{number}/test: sends a test
// message to each target.
import { Answer, defineOperation } from '../operation.ts'
import { TestDeliveries, toWireTest } from '../shared/targets.ts'
import { sendTest } from '../shared/test-notice.ts'
import { ABOUT_ENVIRONMENTS, ABOUT_FLOWS, type NotificationKind } from './kinds.ts'
import { requireNotification, toTargetOwner } from './notifications.ts'
import { NotificationPath } from './wire.ts'

export const testEnvironmentNotification = defineTest(ABOUT_ENVIRONMENTS, {
  id: 'testEnvironmentNotification',
  summary: 'Send a test notification',
})
export const testFlowNotification = defineTest(ABOUT_FLOWS, {
  id: 'testFlowNotification',
  summary: 'Send a test of a flow notification',
})

function defineTest(kind: NotificationKind, { id, summary }: { id: string; summary: string }) {
  return defineOperation(
    {
      id,
      method: 'POST',
      path: `${kind.path}/{number}/test`,
      tag: 'Notifications',
      summary,
      description:
        'Sends a test message to every target, including disabled ones. Returns the ids of the deliveries; the ' +
        'delivery log shows their results.',
      access: 'member',
      audit: 'notification_test_sent',
      params: NotificationPath,
      returns: TestDeliveries,
      creates: true,
      fails: [400, 403, 404, 422],
    },
    async (request, deps) => {
      const { params, org } = request
      const sent = await deps.db.withTransaction({ org_id: org.org_id }, async tx => {
        const row = await requireNotification(tx, kind, org, params.number)
        const { number, name, targets } = row
        return sendTest(tx, request, deps, {
          owner: toTargetOwner(row),
          notification: { number, name },
          targets,
        })
      })
      return new Answer(201, toWireTest(sent))
    },
  )
}
