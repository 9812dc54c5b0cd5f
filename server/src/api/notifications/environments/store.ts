// Every statement about the environments of notifications.
import type { Db } from '../../../db/database.ts'
import { defineStatement, nullable, text, texts, time, uuid, uuids } from '../../../db/statement.ts'
import type { LockedSubject } from '../locked-subject.ts'

const lockAll = defineStatement(
  'notifications.lock_environments',
  { org_id: uuid, names: texts },
  { wanted: text, subject_id: uuid, name: text, archived_at: nullable(time) },
  `select w.wanted, e.environment_id as subject_id, e.name, e.archived_at
   from unnest(:names::text[]) as w (wanted)
   cross join lateral (select environment_named(:org_id, w.wanted) as environment_id offset 0) named
   join environments e on e.org_id = :org_id and e.environment_id = named.environment_id
   order by e.environment_id
   for share of e`,
)

/** Finds environments by name and locks them against archiving; unknown names are left out. */
export function lockEnvironments(db: Db, org_id: string, names: string[]): Promise<LockedSubject[]> {
  return db.run(lockAll, { org_id, names })
}

const replaceEnvironments = defineStatement(
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

// Locks each notification before deleting its rows, in the same order as every change of a notification.
const remove = defineStatement(
  'notifications.forget_environment',
  { org_id: uuid, environment_id: uuid, now: time },
  {},
  `with locked as (
     select n.notification_id
     from notification_environments x
     join notifications n on n.org_id = x.org_id and n.notification_id = x.notification_id and n.deleted_at is null
     where x.org_id = :org_id and x.environment_id = :environment_id
     order by n.notification_id
     for no key update of n
   ), removed as (
     delete from notification_environments x
     using locked
     where x.org_id = :org_id and x.notification_id = locked.notification_id and x.environment_id = :environment_id
     returning x.notification_id
   )
   update notifications n set last_modified_at = :now
   from removed
   where n.org_id = :org_id and n.notification_id = removed.notification_id`,
)

/** Removes an archived environment. The caller has locked it, so no notification can add it meanwhile. */
export async function removeArchivedEnvironment(
  db: Db,
  org_id: string,
  environment_id: string,
  now: Date,
): Promise<void> {
  await db.run(remove, { org_id, environment_id, now })
}
