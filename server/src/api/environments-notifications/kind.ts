// What the code shared with flow notifications needs to know about environment notifications.
import type { NotificationKind } from '../shared/notifications.ts'
import { lockEnvironments, setEnvironments } from './store.ts'

export const ABOUT_ENVIRONMENTS: NotificationKind = {
  type: 'env',
  field: 'environments',
  noun: 'Environment',
  events: {
    created: 'environment_notification_created',
    updated: 'environment_notification_updated',
    deleted: 'environment_notification_deleted',
  },
  lock: lockEnvironments,
  set: setEnvironments,
}
