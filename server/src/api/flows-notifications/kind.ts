// What the code shared with environment notifications needs to know about flow notifications.
import type { NotificationKind } from '../shared/notifications.ts'
import { lockFlows, setFlows } from './store.ts'

export const ABOUT_FLOWS: NotificationKind = {
  type: 'flow',
  field: 'flows',
  noun: 'Flow',
  events: {
    created: 'flow_notification_created',
    updated: 'flow_notification_updated',
    deleted: 'flow_notification_deleted',
  },
  lock: lockFlows,
  set: setFlows,
}
