// The two kinds of notifications: about environments and about flows. Everything that differs between them is here.
import type { Db } from '../../db/database.ts'
import type { EventKind } from '../../events/kinds.ts'
import { lockEnvironments, setEnvironments } from './environments/store.ts'
import { lockFlows, setFlows } from './flows/store.ts'
import type { LockedSubject } from './locked-subject.ts'
import type { NotificationType } from './store.ts'
import * as wire from './wire.ts'

export interface NotificationKind {
  type: NotificationType
  /** The request field with the names of its environments or flows. */
  field: 'environments' | 'flows'
  noun: 'Environment' | 'Flow'
  /** Below the organization. */
  path: string
  events: { created: EventKind; updated: EventKind; deleted: EventKind }
  Put: typeof wire.EnvironmentNotificationPut | typeof wire.FlowNotificationPut
  Notification: typeof wire.EnvironmentNotification | typeof wire.FlowNotification
  List: typeof wire.EnvironmentNotificationList
  /** Unknown names are missing from the result. */
  lock(tx: Db, org_id: string, names: string[]): Promise<LockedSubject[]>
  /** Replaces the subjects, in this order. */
  set(tx: Db, org_id: string, notification_id: string, subject_ids: string[]): Promise<void>
}

export const ABOUT_ENVIRONMENTS: NotificationKind = {
  type: 'env',
  field: 'environments',
  noun: 'Environment',
  path: '/organizations/{org}/environments_notifications',
  events: {
    created: 'environment_notification_created',
    updated: 'environment_notification_updated',
    deleted: 'environment_notification_deleted',
  },
  Put: wire.EnvironmentNotificationPut,
  Notification: wire.EnvironmentNotification,
  List: wire.EnvironmentNotificationList,
  lock: lockEnvironments,
  set: setEnvironments,
}

export const ABOUT_FLOWS: NotificationKind = {
  type: 'flow',
  field: 'flows',
  noun: 'Flow',
  path: '/organizations/{org}/flows_notifications',
  events: {
    created: 'flow_notification_created',
    updated: 'flow_notification_updated',
    deleted: 'flow_notification_deleted',
  },
  Put: wire.FlowNotificationPut,
  Notification: wire.FlowNotification,
  List: wire.FlowNotificationList,
  lock: lockFlows,
  set: setFlows,
}
