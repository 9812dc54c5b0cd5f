// POST /notification-config/{org}/{notification_type}/test: sends a test message to each configured target.
import { notFound } from '../../lib/errors.ts'
import { Answer, defineOperation } from '../operation.ts'
import { TestDeliveries, toWireTest } from '../shared/targets.ts'
import { sendTest } from '../shared/test-notice.ts'
import { lockConfig } from './store.ts'
import { NotificationConfigPath } from './wire.ts'

export const testNotificationConfig = defineOperation(
  {
    id: 'testNotificationConfig',
    method: 'POST',
    path: '/notification-config/{org}/{notification_type}/test',
    tag: 'Notifications',
    summary: 'Send a test notification to the configured targets',
    description: 'Includes targets that are switched off. Returns the ids of the deliveries.',
    access: 'admin',
    audit: 'notification_test_sent',
    params: NotificationConfigPath,
    returns: TestDeliveries,
    creates: true,
    fails: [400, 403, 404, 422],
    example: { params: { notification_type: 'api_key_expiry' } },
  },
  async (request, deps) => {
    const { params, org } = request
    const { notification_type } = params
    const sent = await deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const { targets } = await lockConfig(tx, org.org_id, notification_type)
      if (targets.length === 0) {
        throw notFound(`No targets are configured for '${notification_type}' in organization '${org.name}'`)
      }
      const owner = { notification_id: null, notification_type }
      return sendTest(tx, request, deps, { owner, notification: null, targets })
    })
    return new Answer(201, toWireTest(sent))
  },
)
