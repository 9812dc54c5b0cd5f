// Every statement about flow notifications and the flows they are about. Locks are taken in one order: first flows, then
// the org, then notifications.
import type { Db } from '../../db/database.ts'
import {
  count,
  int,
  nullable,
  type RowOf,
  statement,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import { RECORD_COLUMNS, RECORD_ROW } from '../environments-notifications/store.ts'
import type { Slice } from '../flows/store.ts'

const NOTIFICATION_ROW = { ...RECORD_ROW, flows: texts }

const NOTIFICATION_COLUMNS = `${RECORD_COLUMNS},
  array(select f.name from notification_flows x
        join flows f on f.org_id = x.org_id and f.flow_id = x.flow_id and f.archived_at is null
        where x.org_id = n.org_id and x.notification_id = n.notification_id
        order by x.position) as flows`

const THOSE = `n.org_id = :org_id and n.type = 'flow' and n.deleted_at is null`

// Cut before their targets are read.
const list = statement(
  'flow_notifications.list',
  { org_id: uuid, most: nullable(int), skip: count },
  NOTIFICATION_ROW,
  `select ${NOTIFICATION_COLUMNS}
   from (select n.* from notifications n where ${THOSE}
         order by n.number desc limit :most::int offset :skip::bigint) n
   order by n.number desc`,
)

const countAll = statement(
  'flow_notifications.count',
  { org_id: uuid },
  { total: count },
  `select count(*) as total from notifications n where ${THOSE}`,
)

export type FlowNotificationRow = RowOf<typeof list>

/** Newest first, and how many there are in all, sent together. */
export async function listNotifications(db: Db, org_id: string, slice: Slice) {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...slice }),
    db.run(countAll, { org_id }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const named = statement(
  'flow_notifications.named',
  { org_id: uuid, name: text },
  NOTIFICATION_ROW,
  `select ${NOTIFICATION_COLUMNS} from notifications n where ${THOSE} and n.name = :name order by n.number desc`,
)

export function notificationsNamed(db: Db, org_id: string, name: string): Promise<FlowNotificationRow[]> {
  return db.run(named, { org_id, name })
}

const find = statement(
  'flow_notifications.find',
  { org_id: uuid, number: int },
  NOTIFICATION_ROW,
  `select ${NOTIFICATION_COLUMNS} from notifications n where ${THOSE} and n.number = :number`,
)

export async function findNotification(
  db: Db,
  org_id: string,
  number: number,
): Promise<FlowNotificationRow | undefined> {
  return (await db.run(find, { org_id, number }))[0]
}

const lock = statement(
  'flow_notifications.lock',
  { org_id: uuid, number: int },
  { notification_id: uuid },
  `select n.notification_id from notifications n where ${THOSE} and n.number = :number for no key update`,
)

/** Read after it is held: what others changed while it was waited for is in it. */
export async function holdNotification(
  db: Db,
  org_id: string,
  number: number,
): Promise<FlowNotificationRow | undefined> {
  const held = await db.run(lock, { org_id, number })
  return held.length > 0 ? findNotification(db, org_id, number) : undefined
}

const flows = statement(
  'flow_notifications.hold_flows',
  { org_id: uuid, names: texts },
  { wanted: text, flow_id: uuid, name: text },
  `select w.wanted, f.flow_id, f.name
   from unnest(:names::text[]) as w (wanted)
   join flows f on f.org_id = :org_id and f.flow_id = flow_named(:org_id, w.wanted)
   order by f.flow_id
   for share of f`,
)

export type HeldFlow = RowOf<typeof flows>

/** The flows that the names mean, which nobody archives meanwhile; a name that means none is not answered. */
export function holdFlows(db: Db, org_id: string, names: string[]): Promise<HeldFlow[]> {
  return db.run(flows, { org_id, names })
}

const insert = statement(
  'flow_notifications.insert',
  {
    org_id: uuid,
    notification_id: uuid,
    name: text,
    triggers: texts,
    flow_ids: uuids,
    created_by: text,
    now: time,
  },
  { number: int },
  `with numbered as (
     update orgs set notifications = notifications + 1 where org_id = :org_id returning notifications
   ), made as (
     insert into notifications (org_id, notification_id, number, type, name, triggers, created_by, created_at,
                                last_modified_at)
     select :org_id, :notification_id, notifications, 'flow', :name, :triggers, :created_by, :now, :now from numbered
     returning number
   ), about as (
     insert into notification_flows (org_id, notification_id, flow_id, position)
     select :org_id, :notification_id, wanted.flow_id, wanted.nth
     from unnest(:flow_ids::uuid[]) with ordinality as wanted (flow_id, nth), made
   )
   select number from made`,
)

export interface NewFlowNotification {
  notification_id: string
  name: string
  triggers: string[]
  flow_ids: string[]
  created_by: string
  now: Date
}

/** Answers its number: the next of the org, which none had before. */
export async function insertNotification(
  db: Db,
  org_id: string,
  notification: NewFlowNotification,
): Promise<number | undefined> {
  return (await db.run(insert, { org_id, ...notification }))[0]?.number
}
