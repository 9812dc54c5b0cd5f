// The statements for deliveries: a target's current settings, and the details for the message that it was switched
// off.
import type { Database, Db } from '../db/database.ts'
import { defineStatement, int, nullable, type RowOf, text, texts, time, uuid } from '../db/statement.ts'

const target = defineStatement(
  'notify.target',
  { org_id: uuid, target_id: uuid },
  {
    type: text,
    webhook_sealed: nullable(text),
    secret_sealed: nullable(text),
    old_secret_sealed: nullable(text),
    old_secret_until: nullable(time),
    emails: nullable(texts),
    switched_off_at: nullable(time),
    removed_at: nullable(time),
  },
  `select type, webhook_sealed, secret_sealed, old_secret_sealed, old_secret_until, emails, switched_off_at, removed_at
   from notification_targets where org_id = :org_id and target_id = :target_id`,
)

export type TargetRow = RowOf<typeof target>

export async function findTarget(
  db: Database,
  org_id: string,
  target_id: string,
): Promise<TargetRow | undefined> {
  return (await db.runOnce({ org_id }, target, { org_id, target_id }))[0]
}

const switchedOffTarget = defineStatement(
  'notify.switched_off_target',
  { org_id: uuid, target_id: uuid },
  {
    org: text,
    number: nullable(int),
    name: nullable(text),
    notification_type: nullable(text),
    type: text,
    webhook_sealed: nullable(text),
    emails: nullable(texts),
    failing_since: nullable(time),
  },
  `select o.name as org, n.number, n.name, t.notification_type, t.type, t.webhook_sealed, t.emails, t.failing_since
   from notification_targets t
   join orgs o on o.org_id = t.org_id
   left join notifications n on n.org_id = t.org_id and n.notification_id = t.notification_id
   where t.org_id = :org_id and t.target_id = :target_id`,
)

/** The details of a target that was switched off. */
export async function findSwitchedOffTarget(db: Db, org_id: string, target_id: string) {
  return (await db.run(switchedOffTarget, { org_id, target_id }))[0]
}
