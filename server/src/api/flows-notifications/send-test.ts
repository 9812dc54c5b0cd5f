// POST /organizations/{org}/flows_notifications/{number}/test: sends a test message to each target.

import { Answer, defineOperation } from '../operation.ts'
import { testNotification } from '../shared/notifications.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { TestDeliveries, toWireTest } from '../shared/targets.ts'
import { ABOUT_FLOWS } from './kind.ts'

export const testFlowNotification = defineOperation(
  {
    id: 'testFlowNotification',
    method: 'POST',
    path: '/organizations/{org}/flows_notifications/{number}/test',
    tag: 'Notifications',
    summary: 'Send a test of a flow notification',
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
    const sent = await deps.db.withTransaction({ org_id: request.org.org_id }, tx =>
      testNotification(tx, ABOUT_FLOWS, request, deps),
    )
    return new Answer(201, toWireTest(sent))
  },
)
