// Every statement about one environment and its former names. Lists are in list-store.ts, members of logical
// environments in member-store.ts.
import { computed, pick, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  uuids,
  type Values,
} from '../../db/statement.ts'
import type { Reporter } from '../../domain/snapshot/reported.ts'
import type { Tags } from '../../domain/tags.ts'

/** The fields that clients set. */
export const FIELDS = {
  client_type: nullable(text),
  description: text,
  include_scaling: bool,
  require_provenance: bool,
  expected_report_interval: nullable(int),
}

const STORED = {
  environment_id: uuid,
  name: text,
  type: text,
  ...FIELDS,
  tags: json<Tags>(),
  state: nullable(bool),
  latest_index: int,
  last_changed_at: nullable(time),
  last_reported_at: nullable(time),
  observed_at: nullable(time),
  reporter: nullable(json<Reporter>()),
  created_by: text,
  created_at: time,
  last_modified_at: time,
  archived_at: nullable(time),
}

// A logical environment becomes stale with the first of its members.
export const STALE_AT = `
  coalesce(e.stale_at, (
    select min(o.stale_at) from environment_members m
    join environments o on o.org_id = m.org_id and o.environment_id = m.member_id
    where m.org_id = e.org_id and m.environment_id = e.environment_id))`

/** A logical environment has had a partial view since the first of its members has. */
const PARTIAL_SINCE = `
  coalesce(e.partial_since, (
    select min(o.partial_since) from environment_members m
    join environments o on o.org_id = m.org_id and o.environment_id = m.member_id
    where m.org_id = e.org_id and m.environment_id = e.environment_id))`

/** The oldest evaluation that is pending here or in a member, or an expired decision: any may depend on that. */
export const WAITING_SINCE = `
  least((
    select min(j.marked_at) from pending_judgements j
    where j.org_id = e.org_id and j.environment_id in (
      select e.environment_id
      union all
      select m.member_id from environment_members m
      where m.org_id = e.org_id and m.environment_id = e.environment_id)
  ), (
    select min(d.expires_at) from expiring_decisions d where d.org_id = e.org_id))`

export const ENVIRONMENT = {
  ...STORED,
  stale_at: computed(nullable(time), STALE_AT),
  partial_since: computed(nullable(time), PARTIAL_SINCE),
  missing: computed(
    nullable(json<string[]>()),
    `case when e.type = 'logical' then (
       select jsonb_agg(o.name order by o.name) from environment_members m
       join environments o on o.org_id = m.org_id and o.environment_id = m.member_id
       where m.org_id = e.org_id and m.environment_id = e.environment_id and o.partial_since is not null)
     else e.missing end`,
  ),
  waiting_since: computed(nullable(time), WAITING_SINCE),
  policies: computed(
    texts,
    `array(select p.name from environment_policies a
           join policies p on p.org_id = a.org_id and p.policy_id = a.policy_id
           where a.org_id = e.org_id and a.environment_id = e.environment_id
           order by a.position, p.name)`,
  ),
  included_environments: computed(
    texts,
    `array(select o.name from environment_members m
           join environments o on o.org_id = m.org_id and o.environment_id = m.member_id
           where m.org_id = e.org_id and m.environment_id = e.environment_id
           order by m.position, o.name)`,
  ),
}

const find = defineStatement(
  'environments.find',
  { org_id: uuid, env_name: text },
  ENVIRONMENT,
  `select ${toSelectList('e', ENVIRONMENT)} from environments e
   where e.org_id = :org_id and e.environment_id = environment_meant(:org_id, :env_name)`,
)

export type EnvironmentRow = RowOf<typeof find>

/** Finds an environment by name or id, archived or not. */
export async function findEnvironment(
  db: Db,
  org_id: string,
  env_name: string,
): Promise<EnvironmentRow | undefined> {
  return (await db.run(find, { org_id, env_name }))[0]
}

/** The same outside a transaction: one round trip. */
export async function findEnvironmentOnce(
  db: Database,
  org_id: string,
  env_name: string,
): Promise<EnvironmentRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, env_name }))[0]
}

const lock = defineStatement(
  'environments.lock',
  { org_id: uuid, env_name: text },
  STORED,
  `select ${toSelectList('e', STORED)} from environments e
   where e.org_id = :org_id and e.environment_id = environment_named(:org_id, :env_name)
   for no key update`,
)

export type LockedEnvironment = RowOf<typeof lock>

/** Finds an environment by name, archived or not, and locks it. */
export async function lockEnvironment(
  db: Db,
  org_id: string,
  env_name: string,
): Promise<LockedEnvironment | undefined> {
  return (await db.run(lock, { org_id, env_name }))[0]
}

const lockByName = defineStatement(
  'environments.lock_by_name',
  { org_id: uuid, name: text },
  STORED,
  `select ${toSelectList('e', STORED)} from environments e where e.org_id = :org_id and e.name = :name for no key update`,
)

/** Matches the current name only. Includes archived environments, because a PUT restores them. */
export async function lockEnvironmentByName(
  db: Db,
  org_id: string,
  name: string,
): Promise<LockedEnvironment | undefined> {
  return (await db.run(lockByName, { org_id, name }))[0]
}

const NEW = { ...pick(STORED, 'environment_id', 'name', 'type', 'created_by'), ...FIELDS }

const insert = defineStatement(
  'environments.insert_or_keep',
  { org_id: uuid, ...NEW, now: time },
  { environment_id: uuid },
  `with released as (
     delete from former_environment_names where org_id = :org_id and name = :name
   )
   insert into environments (org_id, ${toColumnList(NEW)}, created_at, last_modified_at)
   values (:org_id, ${toValueList(NEW)}, :now, :now)
   on conflict (org_id, name) do nothing
   returning environment_id`,
)

export type EnvironmentFields = Values<typeof FIELDS>
export type NewEnvironment = Values<typeof NEW>

/** Returns false if an environment of that name exists, archived or not. */
export async function insertEnvironment(
  db: Db,
  org_id: string,
  environment: NewEnvironment,
  now: Date,
): Promise<boolean> {
  const inserted = await db.run(insert, { org_id, ...environment, now })
  return inserted.length > 0
}

const update = defineStatement(
  'environments.update',
  { org_id: uuid, environment_id: uuid, ...FIELDS, tags: json<Tags>(), now: time },
  {},
  `update environments set ${toSetList(FIELDS)}, tags = :tags, last_modified_at = :now, archived_at = null,
     stale_noticed_at = case when expected_report_interval is not distinct from :expected_report_interval
                             then stale_noticed_at end
   where org_id = :org_id and environment_id = :environment_id`,
)

export interface ChangedEnvironment extends EnvironmentFields {
  environment_id: string
  tags: Tags
  now: Date
}

export async function updateEnvironment(
  db: Db,
  org_id: string,
  environment: ChangedEnvironment,
): Promise<void> {
  await db.run(update, { org_id, ...environment })
}

const touch = defineStatement(
  'environments.touch',
  { org_id: uuid, environment_ids: uuids, now: time },
  {},
  `update environments set last_modified_at = :now
   where org_id = :org_id and environment_id = any (:environment_ids::uuid[])`,
)

/** Updates the modification time after a change to something that belongs to the environments. */
export async function touchEnvironments(
  db: Db,
  org_id: string,
  environment_ids: string[],
  now: Date,
): Promise<void> {
  await db.run(touch, { org_id, environment_ids, now })
}

const archive = defineStatement(
  'environments.archive',
  { org_id: uuid, environment_id: uuid, now: time },
  {},
  `update environments set archived_at = :now, last_modified_at = :now
   where org_id = :org_id and environment_id = :environment_id`,
)

export async function archiveEnvironment(
  db: Db,
  org_id: string,
  environment_id: string,
  now: Date,
): Promise<void> {
  await db.run(archive, { org_id, environment_id, now })
}

const unarchive = defineStatement(
  'environments.unarchive',
  { org_id: uuid, environment_id: uuid, now: time },
  {},
  `update environments set archived_at = null, last_modified_at = :now
   where org_id = :org_id and environment_id = :environment_id`,
)

export async function unarchiveEnvironment(
  db: Db,
  org_id: string,
  environment_id: string,
  now: Date,
): Promise<void> {
  await db.run(unarchive, { org_id, environment_id, now })
}

const renameArchived = defineStatement(
  'environments.rename_archived',
  { org_id: uuid, name: text, new_name: text },
  {},
  `update environments set name = :new_name
   where org_id = :org_id and name = :name and archived_at is not null`,
)

const rename = defineStatement(
  'environments.rename',
  { org_id: uuid, environment_id: uuid, old_name: text, new_name: text, now: time },
  {},
  `with released as (
     delete from former_environment_names where org_id = :org_id and name = :new_name
   ), former as (
     insert into former_environment_names (org_id, name, environment_id)
     values (:org_id, :old_name, :environment_id)
     on conflict (org_id, name) do update set environment_id = excluded.environment_id
   )
   update environments set name = :new_name, last_modified_at = :now
   where org_id = :org_id and environment_id = :environment_id`,
)

export interface Renaming {
  environment_id: string
  old_name: string
  new_name: string
  name_for_archived: string
  now: Date
}

/** Frees the new name if an archived environment has it, then renames and keeps the old name as a former one. */
export async function renameEnvironment(db: Db, org_id: string, renaming: Renaming): Promise<void> {
  const { name_for_archived, ...params } = renaming
  await freeName(db, org_id, renaming.new_name, name_for_archived)
  await db.run(rename, { org_id, ...params })
}

/** Renames an archived environment, so that another one can take its name. */
export async function freeName(db: Db, org_id: string, name: string, new_name: string): Promise<void> {
  await db.run(renameArchived, { org_id, name, new_name })
}

const setTags = defineStatement(
  'environments.set_tags',
  { org_id: uuid, environment_id: uuid, tags: json<Tags>(), now: time },
  {},
  `update environments set tags = :tags::jsonb, last_modified_at = :now
   where org_id = :org_id and environment_id = :environment_id`,
)

export async function setEnvironmentTags(
  db: Db,
  org_id: string,
  environment_id: string,
  tags: Tags,
  now: Date,
): Promise<void> {
  await db.run(setTags, { org_id, environment_id, tags, now })
}
