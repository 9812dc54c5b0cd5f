// Every statement about environment notifications and the environments they are about. Locks are taken in one order: first
// environments, then the org, then notifications.
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  count,
  int,
  json,
  nullable,
  type RowOf,
  statement,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { Slice } from '../flows/store.ts'
import { type StoredTarget, targetsOf } from '../shared/targets-store.ts'

/** What a notification about anything has. */
export const RECORD_ROW = {
  notification_id: uuid,
  number: int,
  name: text,
  triggers: texts,
  is_created_from_chat_app: bool,
  created_by: text,
  created_at: time,
  last_modified_at: time,
  targets: json<StoredTarget[]>(),
  last_success_at: nullable(time),
}
const NOTIFICATION_ROW = { ...RECORD_ROW, environments: texts }

// What arrived at targets that were replaced since was sent by the notification all the same.
export const RECORD_COLUMNS = `
  n.notification_id, n.number, n.name, n.triggers, n.is_created_from_chat_app, n.created_by, n.created_at,
  n.last_modified_at,
  ${targetsOf('t.notification_id = n.notification_id')} as targets,
  (select max(s.last_success_at) from notification_targets s
   where s.org_id = n.org_id and s.notification_id = n.notification_id) as last_success_at`

const NOTIFICATION_COLUMNS = `${RECORD_COLUMNS},
  array(select e.name from notification_environments x
        join environments e on e.org_id = x.org_id and e.environment_id = x.environment_id
        where x.org_id = n.org_id and x.notification_id = n.notification_id
        order by x.position, e.name) as environments`

// Cut before their targets are read.
const list = statement(
  'notifications.list',
  { org_id: uuid, most: nullable(int), skip: count },
  NOTIFICATION_ROW,
  `select ${NOTIFICATION_COLUMNS}
   from (select n.* from notifications n where n.org_id = :org_id and n.type = 'env' and n.deleted_at is null
         order by n.number desc limit :most::int offset :skip::bigint) n
   order by n.number desc`,
)

const countAll = statement(
  'notifications.count',
  { org_id: uuid },
  { total: count },
  `select count(*) as total from notifications
   where org_id = :org_id and type = 'env' and deleted_at is null`,
)

export type NotificationRow = RowOf<typeof list>

/** Newest first: clients take the first of a name. */
export function listNotifications(db: Database, org_id: string): Promise<readonly NotificationRow[]> {
  return db.read({ org_id }, list, { org_id, most: null, skip: 0 })
}

/** Those of one page and how many there are in all, sent together. */
export async function pageOfNotifications(db: Db, org_id: string, slice: Slice) {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...slice }),
    db.run(countAll, { org_id }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const named = statement(
  'notifications.named',
  { org_id: uuid, name: text },
  NOTIFICATION_ROW,
  `select ${NOTIFICATION_COLUMNS} from notifications n
   where n.org_id = :org_id and n.type = 'env' and n.name = :name and n.deleted_at is null
   order by n.number desc`,
)

export function notificationsNamed(db: Db, org_id: string, name: string): Promise<NotificationRow[]> {
  return db.run(named, { org_id, name })
}

const find = statement(
  'notifications.find',
  { org_id: uuid, number: int },
  NOTIFICATION_ROW,
  `select ${NOTIFICATION_COLUMNS} from notifications n
   where n.org_id = :org_id and n.type = 'env' and n.number = :number and n.deleted_at is null`,
)

export async function findNotification(
  db: Db,
  org_id: string,
  number: number,
): Promise<NotificationRow | undefined> {
  return (await db.run(find, { org_id, number }))[0]
}

/** The same read on its own: one wait. */
export async function findNotificationOnce(
  db: Database,
  org_id: string,
  number: number,
): Promise<NotificationRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, number }))[0]
}

const lock = statement(
  'notifications.lock',
  { org_id: uuid, number: int },
  { notification_id: uuid },
  `select notification_id from notifications
   where org_id = :org_id and type = 'env' and number = :number and deleted_at is null
   for no key update`,
)

/** Read after it is held: what others changed while it was waited for is in it. */
export async function holdNotification(
  db: Db,
  org_id: string,
  number: number,
): Promise<NotificationRow | undefined> {
  const held = await db.run(lock, { org_id, number })
  return held.length > 0 ? findNotification(db, org_id, number) : undefined
}

const environments = statement(
  'notifications.hold_environments',
  { org_id: uuid, names: texts },
  { wanted: text, environment_id: uuid, name: text, archived_at: nullable(time) },
  `select w.wanted, e.environment_id, e.name, e.archived_at
   from unnest(:names::text[]) as w (wanted)
   join environments e on e.org_id = :org_id and e.environment_id = environment_named(:org_id, w.wanted)
   order by e.environment_id
   for share of e`,
)

export type HeldEnvironment = RowOf<typeof environments>

/** The environments that the names mean, which nobody archives meanwhile; a name that means none is not answered. */
export function holdEnvironments(db: Db, org_id: string, names: string[]): Promise<HeldEnvironment[]> {
  return db.run(environments, { org_id, names })
}

const insert = statement(
  'notifications.insert',
  { org_id: uuid, notification_id: uuid, name: text, triggers: texts, created_by: text, now: time },
  { number: int },
  `with numbered as (
     update orgs set notifications = notifications + 1 where org_id = :org_id returning notifications
   )
   insert into notifications (org_id, notification_id, number, name, triggers, created_by, created_at, last_modified_at)
   select :org_id, :notification_id, notifications, :name, :triggers, :created_by, :now, :now from numbered
   returning number`,
)

export interface NewNotification {
  notification_id: string
  name: string
  triggers: string[]
  created_by: string
  now: Date
}

/** Answers its number: the next of the org, which none had before. */
export async function insertNotification(
  db: Db,
  org_id: string,
  notification: NewNotification,
): Promise<number | undefined> {
  return (await db.run(insert, { org_id, ...notification }))[0]?.number
}

const update = statement(
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

const replaceEnvironments = statement(
  'notifications.replace_environments',
  { org_id: uuid, notification_id: uuid, environment_ids: uuids },
  {},
  `with removed as (
     delete from notification_environments
     where org_id = :org_id and notification_id = :notification_id
       and environment_id <> all(:environment_ids::uuid[])
   )
   insert into notification_environments (org_id, notification_id, environment_id, position)
   select :org_id, :notification_id, wanted.environment_id, wanted.nth
   from unnest(:environment_ids) with ordinality as wanted (environment_id, nth)
   on conflict (org_id, notification_id, environment_id) do update set position = excluded.position`,
)

export async function setEnvironments(
  db: Db,
  org_id: string,
  notification_id: string,
  environment_ids: string[],
): Promise<void> {
  await db.run(replaceEnvironments, { org_id, notification_id, environment_ids })
}

const remove = statement(
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

// Each notification is held before its rows are deleted, as whoever changes it does.
const forget = statement(
  'notifications.forget_environment',
  { org_id: uuid, environment_id: uuid, now: time },
  {},
  `with held as (
     select n.notification_id
     from notification_environments x
     join notifications n on n.org_id = x.org_id and n.notification_id = x.notification_id and n.deleted_at is null
     where x.org_id = :org_id and x.environment_id = :environment_id
     order by n.notification_id
     for no key update of n
   ), forgotten as (
     delete from notification_environments x
     using held
     where x.org_id = :org_id and x.notification_id = held.notification_id and x.environment_id = :environment_id
     returning x.notification_id
   )
   update notifications n set last_modified_at = :now
   from forgotten
   where n.org_id = :org_id and n.notification_id = forgotten.notification_id`,
)

/** The environment is held by whoever archives it, so that none begins to tell of it meanwhile. */
export async function forgetEnvironment(
  db: Db,
  org_id: string,
  environment_id: string,
  now: Date,
): Promise<void> {
  await db.run(forget, { org_id, environment_id, now })
}
