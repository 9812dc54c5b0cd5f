// GET /notification-config/{org}/{notification_type}: where it goes, and whether it arrived.
import { defineOperation } from '../operation.ts'
import { findConfigOnce } from './store.ts'
import { NotificationConfigPath, NotificationConfigResponse, toWire } from './wire.ts'

export const getNotificationConfig = defineOperation(
  {
    id: 'getNotificationConfig',
    method: 'GET',
    path: '/notification-config/{org}/{notification_type}',
    tag: 'Notifications',
    summary: 'Get where notifications of a type go',
    description:
      'Without targets none is configured, and the recipients follow from what a notification is about. `last_failure` is ' +
      'there as long as nothing was sent since.',
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
