// POST /organizations/{org}/environments_notifications/{number}/test: a message to each target that says it is a test.
import { Answer, defineOperation } from '../operation.ts'
import { testNotification } from '../shared/notifications.ts'
import { NotificationPath } from '../shared/notifications-wire.ts'
import { TestDeliveries, toWireTest } from '../shared/targets.ts'
import { ABOUT_ENVIRONMENTS } from './kind.ts'

export const testEnvironmentNotification = defineOperation(
  {
    id: 'testEnvironmentNotification',
    method: 'POST',
    path: '/organizations/{org}/environments_notifications/{number}/test',
    tag: 'Notifications',
    summary: 'Send a test notification',
    description:
      'To each of its targets, also to one that is switched off. The answer has the ids of the deliveries; what becomes of ' +
      'them is in the log of deliveries.',
    access: 'member',
    audit: 'notification_test_sent',
    params: NotificationPath,
    returns: TestDeliveries,
    creates: true,
    fails: [400, 403, 404, 422],
  },
  async (request, deps) => {
    const sent = await deps.db.withTransaction({ org_id: request.org.org_id }, tx =>
      testNotification(tx, ABOUT_ENVIRONMENTS, request, deps),
    )
    return new Answer(201, toWireTest(sent))
  },
)
