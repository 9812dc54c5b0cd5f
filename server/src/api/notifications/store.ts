// Every statement about notifications of both kinds. environments/ and flows/ lock and set their subjects. Locks are
// acquired in one order: environments or flows, then the org, then notifications.
import { computed, toSelectList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
} from '../../db/statement.ts'
import type { Slice } from '../shared/page.ts'
import { type StoredTarget, selectTargets } from '../shared/targets-store.ts'

export type NotificationType = 'env' | 'flow'

const NOTIFICATION = {
  notification_id: uuid,
  number: int,
  name: text,
  triggers: texts,
  is_created_from_chat_app: bool,
  created_by: text,
  created_at: time,
  last_modified_at: time,
  targets: computed(json<StoredTarget[]>(), selectTargets('t.notification_id = n.notification_id')),
  // Includes targets that were replaced since.
  last_success_at: computed(
    nullable(time),
    `select max(s.last_success_at) from notification_targets s
     where s.org_id = n.org_id and s.notification_id = n.notification_id`,
  ),
  about: computed(
    texts,
    `case n.type
       when 'env' then array(
         select e.name from notification_environments x
         join environments e on e.org_id = x.org_id and e.environment_id = x.environment_id
         where x.org_id = n.org_id and x.notification_id = n.notification_id
         order by x.position, e.name)
       when 'flow' then array(
         select f.name from notification_flows x
         join flows f on f.org_id = x.org_id and f.flow_id = x.flow_id and f.archived_at is null
         where x.org_id = n.org_id and x.notification_id = n.notification_id
         order by x.position, f.name)
     end`,
  ),
}

const OF_TYPE = 'n.org_id = :org_id and n.type = :type and n.deleted_at is null'

// The inner query applies the limit before targets are read.
const list = defineStatement(
  'notifications.list',
  { org_id: uuid, type: text, limit: nullable(int), offset: count },
  NOTIFICATION,
  `select ${toSelectList('n', NOTIFICATION)}
   from (select n.* from notifications n where ${OF_TYPE}
         order by n.number desc limit :limit::int offset :offset::bigint) n
   order by n.number desc`,
)

const countAll = defineStatement(
  'notifications.count',
  { org_id: uuid, type: text },
  { total: count },
  `select count(*) as total from notifications n where ${OF_TYPE}`,
)

/** `about` contains the current names of its environments or flows. */
export type NotificationRow = RowOf<typeof list>

/** Newest first: clients use the first one with a name. */
export function listNotifications(
  db: Database,
  org_id: string,
  type: NotificationType,
): Promise<readonly NotificationRow[]> {
  return db.read({ org_id }, list, { org_id, type, limit: null, offset: 0 })
}

/** One page and the total, in one round trip. */
export async function listNotificationsPage(db: Db, org_id: string, type: NotificationType, slice: Slice) {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, type, ...slice }),
    db.run(countAll, { org_id, type }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const listByName = defineStatement(
  'notifications.named',
  { org_id: uuid, type: text, name: text },
  NOTIFICATION,
  `select ${toSelectList('n', NOTIFICATION)} from notifications n where ${OF_TYPE} and n.name = :name order by n.number desc`,
)

export function listNotificationsByName(
  db: Db,
  org_id: string,
  type: NotificationType,
  name: string,
): Promise<NotificationRow[]> {
  return db.run(listByName, { org_id, type, name })
}

const find = defineStatement(
  'notifications.find',
  { org_id: uuid, type: text, number: int },
  NOTIFICATION,
  `select ${toSelectList('n', NOTIFICATION)} from notifications n where ${OF_TYPE} and n.number = :number`,
)

export async function findNotification(
  db: Db,
  org_id: string,
  type: NotificationType,
  number: number,
): Promise<NotificationRow | undefined> {
  return (await db.run(find, { org_id, type, number }))[0]
}

/** The same as `findNotification` outside a transaction: one round trip. */
export async function findNotificationOnce(
  db: Database,
  org_id: string,
  type: NotificationType,
  number: number,
): Promise<NotificationRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, type, number }))[0]
}

const lock = defineStatement(
  'notifications.lock',
  { org_id: uuid, type: text, number: int },
  { notification_id: uuid },
  `select n.notification_id from notifications n where ${OF_TYPE} and n.number = :number for no key update`,
)

/** Reads the row after locking it, so the result includes changes made while waiting for the lock. */
export async function lockNotification(
  db: Db,
  org_id: string,
  type: NotificationType,
  number: number,
): Promise<NotificationRow | undefined> {
  const locked = await db.run(lock, { org_id, type, number })
  return locked.length > 0 ? findNotification(db, org_id, type, number) : undefined
}

const insert = defineStatement(
  'notifications.insert',
  {
    org_id: uuid,
    notification_id: uuid,
    type: text,
    name: text,
    triggers: texts,
    created_by: text,
    now: time,
  },
  { number: int },
  `with numbered as (
     update orgs set notifications = notifications + 1 where org_id = :org_id returning notifications
   )
   insert into notifications (org_id, notification_id, number, type, name, triggers, created_by, created_at,
                              last_modified_at)
   select :org_id, :notification_id, notifications, :type, :name, :triggers, :created_by, :now, :now from numbered
   returning number`,
)

export interface NewNotification {
  notification_id: string
  type: NotificationType
  name: string
  triggers: string[]
  created_by: string
  now: Date
}

/** Returns its number: the next one of the org, never used before. */
export async function insertNotification(
  db: Db,
  org_id: string,
  notification: NewNotification,
): Promise<number | undefined> {
  return (await db.run(insert, { org_id, ...notification }))[0]?.number
}

const update = defineStatement(
  'notifications.update',
  { org_id: uuid, notification_id: uuid, name: text, triggers: texts, now: time },
  {},
  `update notifications set name = :name, triggers = :triggers, last_modified_at = :now
   where org_id = :org_id and notification_id = :notification_id`,
)

export async function updateNotification(
  db: Db,
  org_id: string,
  notification: { notification_id: string; name: string; triggers: string[]; now: Date },
): Promise<void> {
  await db.run(update, { org_id, ...notification })
}

const remove = defineStatement(
  'notifications.delete',
  { org_id: uuid, notification_id: uuid, now: time },
  {},
  'update notifications set deleted_at = :now where org_id = :org_id and notification_id = :notification_id',
)

export async function deleteNotification(
  db: Db,
  org_id: string,
  notification_id: string,
  now: Date,
): Promise<void> {
  await db.run(remove, { org_id, notification_id, now })
}
