// GET /notification-config/{org}/{notification_type}: the configured targets and the status of their deliveries.
import { defineOperation } from '../operation.ts'
import { findConfigOnce } from './store.ts'
import { NotificationConfigPath, NotificationConfigResponse, toWire } from './wire.ts'

export const getNotificationConfig = defineOperation(
  {
    id: 'getNotificationConfig',
    method: 'GET',
    path: '/notification-config/{org}/{notification_type}',
    tag: 'Notifications',
    summary: 'Get the targets of a notification type',
    description:
      'If no targets are configured, the default recipients apply; they depend on what each notification is about. ' +
      '`last_failure` is set until a later delivery succeeds.',
    access: 'reader',
    audit: 'none: reads',
    params: NotificationConfigPath,
    returns: NotificationConfigResponse,
    fails: [400, 403],
    example: { params: { notification_type: 'api_key_expiry' } },
  },
  async ({ params, org }, { db, sealer }) => {
    const { notification_type } = params
    const row = await findConfigOnce(db, org.org_id, notification_type)
    return toWire(notification_type, row, org.role, sealer)
  },
)
