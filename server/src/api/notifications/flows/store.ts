// Every statement about the flows of notifications.
import type { Db } from '../../../db/database.ts'
import { defineStatement, nullable, text, texts, time, uuid, uuids } from '../../../db/statement.ts'
import type { LockedSubject } from '../locked-subject.ts'

const lockAll = defineStatement(
  'flow_notifications.lock_flows',
  { org_id: uuid, names: texts },
  { wanted: text, subject_id: uuid, name: text, archived_at: nullable(time) },
  `select w.wanted, f.flow_id as subject_id, f.name, f.archived_at
   from unnest(:names::text[]) as w (wanted)
   cross join lateral (select flow_named(:org_id, w.wanted) as flow_id offset 0) named
   join flows f on f.org_id = :org_id and f.flow_id = named.flow_id
   order by f.flow_id
   for share of f`,
)

/** Finds flows by name and locks them against archiving; unknown names are left out. */
export function lockFlows(db: Db, org_id: string, names: string[]): Promise<LockedSubject[]> {
  return db.run(lockAll, { org_id, names })
}

// Keeps archived flows: a caller cannot name them, and they count again once they are unarchived.
const removeFlows = defineStatement(
  'flow_notifications.remove_flows',
  { org_id: uuid, notification_id: uuid },
  {},
  `delete from notification_flows x
   using flows f
   where x.org_id = :org_id and x.notification_id = :notification_id
     and f.org_id = x.org_id and f.flow_id = x.flow_id and f.archived_at is null`,
)

const addFlows = defineStatement(
  'flow_notifications.add_flows',
  { org_id: uuid, notification_id: uuid, flow_ids: uuids },
  {},
  `insert into notification_flows (org_id, notification_id, flow_id, position)
   select :org_id, :notification_id, wanted.flow_id, wanted.nth
   from unnest(:flow_ids::uuid[]) with ordinality as wanted (flow_id, nth)`,
)

export async function setFlows(
  db: Db,
  org_id: string,
  notification_id: string,
  flow_ids: string[],
): Promise<void> {
  await db.run(removeFlows, { org_id, notification_id })
  await db.run(addFlows, { org_id, notification_id, flow_ids })
}
