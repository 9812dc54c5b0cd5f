// Every statement about the configuration of notifications that the service raises itself. The row stores the delivery
// status; a type counts as configured if it has targets.
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, json, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'
import { type StoredTarget, selectTargets } from '../shared/targets-store.ts'

const find = defineStatement(
  'notification_configs.find',
  { org_id: uuid, notification_type: text },
  {
    last_notified_at: nullable(time),
    last_failed_at: nullable(time),
    last_error: nullable(text),
    targets: json<StoredTarget[]>(),
  },
  `select c.last_notified_at, c.last_failed_at, c.last_error,
     ${selectTargets('t.notification_type = c.notification_type')} as targets
   from notification_configs c
   where c.org_id = :org_id and c.notification_type = :notification_type`,
)

export type ConfigRow = RowOf<typeof find>

const NO_CONFIG: ConfigRow = { last_notified_at: null, last_failed_at: null, last_error: null, targets: [] }

export async function findConfig(db: Db, org_id: string, notification_type: string): Promise<ConfigRow> {
  return (await db.run(find, { org_id, notification_type }))[0] ?? NO_CONFIG
}

/** The same as `findConfig` outside a transaction: one round trip. */
export async function findConfigOnce(
  db: Database,
  org_id: string,
  notification_type: string,
): Promise<ConfigRow> {
  return (await db.read({ org_id }, find, { org_id, notification_type }))[0] ?? NO_CONFIG
}

const insert = defineStatement(
  'notification_configs.insert_or_keep',
  { org_id: uuid, notification_type: text },
  {},
  `insert into notification_configs (org_id, notification_type) values (:org_id, :notification_type)
   on conflict (org_id, notification_type) do nothing`,
)

const lock = defineStatement(
  'notification_configs.lock',
  { org_id: uuid, notification_type: text },
  { notification_type: text },
  `select notification_type from notification_configs
   where org_id = :org_id and notification_type = :notification_type
   for no key update`,
)

/** Creates the row if necessary, and locks it until the end of the transaction. */
export async function lockNewConfig(db: Db, org_id: string, notification_type: string): Promise<ConfigRow> {
  await db.run(insert, { org_id, notification_type })
  return lockConfig(db, org_id, notification_type)
}

/** Locks the row until the end of the transaction, if there is one. */
export async function lockConfig(db: Db, org_id: string, notification_type: string): Promise<ConfigRow> {
  await db.run(lock, { org_id, notification_type })
  return findConfig(db, org_id, notification_type)
}
