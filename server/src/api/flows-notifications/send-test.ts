// POST /organizations/{org}/flows_notifications/{number}/test: a message to each target that says it is a test.
import { NotificationPath } from '../environments-notifications/wire.ts'
import { Answer, operation } from '../operation.ts'
import { TestDeliveries, testToWire } from '../shared/targets.ts'
import { sendTest } from '../shared/test-notice.ts'
import { requireNotification } from './problems.ts'

export const testFlowNotification = operation(
  {
    id: 'testFlowNotification',
    method: 'POST',
    path: '/organizations/{org}/flows_notifications/{number}/test',
    tag: 'Notifications',
    summary: 'Send a test of a flow notification',
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
    const { params, org } = request
    const sent = await deps.db.inTransaction({ org_id: org.org_id }, async tx => {
      const { notification_id, number, name, targets } = await requireNotification(tx, org, params.number)
      const owner = { notification_id, notification_type: null }
      return sendTest(tx, request, deps, { owner, notification: { number, name }, targets })
    })
    return new Answer(201, testToWire(sent))
  },
)
