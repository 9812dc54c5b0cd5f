// Every statement about the members of logical environments.
import type { Db } from '../../../db/database.ts'
import {
  bool,
  defineStatement,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'

const lockAll = defineStatement(
  'environment_members.lock_all',
  { org_id: uuid, names: texts },
  { wanted: text, environment_id: uuid, name: text, type: text, archived_at: nullable(time) },
  `select w.wanted, e.environment_id, e.name, e.type, e.archived_at
   from unnest(:names::text[]) as w (wanted)
   cross join lateral (select environment_named(:org_id, w.wanted) as environment_id offset 0) named
   join environments e on e.org_id = :org_id and e.environment_id = named.environment_id
   order by e.type = 'logical', e.environment_id
   for no key update of e`,
)

export type NamedEnvironment = RowOf<typeof lockAll>

/**
 * Locks environments by name; unknown names are left out. As everywhere, physical environments are locked before
 * logical ones, each in the order of their ids, so that no deadlock can occur.
 */
export function lockEnvironments(db: Db, org_id: string, names: string[]): Promise<NamedEnvironment[]> {
  return db.run(lockAll, { org_id, names })
}

const replace = defineStatement(
  'environment_members.replace',
  { org_id: uuid, environment_id: uuid, member_ids: uuids },
  { name: text, is_added: bool },
  `with removed as (
     delete from environment_members
     where org_id = :org_id and environment_id = :environment_id and member_id <> all(:member_ids::uuid[])
     returning member_id
   ), added as (
     insert into environment_members (org_id, environment_id, member_id, position)
     select :org_id, :environment_id, wanted.member_id, wanted.nth
     from unnest(:member_ids) with ordinality as wanted (member_id, nth)
     on conflict do nothing
     returning member_id
   ), moved as (
     update environment_members m set position = wanted.nth
     from unnest(:member_ids) with ordinality as wanted (member_id, nth)
     where m.org_id = :org_id and m.environment_id = :environment_id and m.member_id = wanted.member_id
       and m.position <> wanted.nth
   )
   select e.name, changed.is_added
   from (select member_id, true as is_added from added union all select member_id, false from removed) changed
   join environments e on e.org_id = :org_id and e.environment_id = changed.member_id
   order by e.name`,
)

/** Replaces the members, in this order, and returns which were added and which were removed. */
export function replaceMembers(db: Db, org_id: string, environment_id: string, member_ids: string[]) {
  return db.run(replace, { org_id, environment_id, member_ids })
}

const add = defineStatement(
  'environment_members.add',
  { org_id: uuid, environment_id: uuid, member_id: uuid },
  { member_id: uuid },
  `insert into environment_members (org_id, environment_id, member_id, position)
   select :org_id, :environment_id, :member_id, coalesce(max(m.position), 0) + 1 from environment_members m
   where m.org_id = :org_id and m.environment_id = :environment_id
   on conflict do nothing
   returning member_id`,
)

/** Returns false if it was already a member. */
export async function addMember(
  db: Db,
  org_id: string,
  environment_id: string,
  member_id: string,
): Promise<boolean> {
  return (await db.run(add, { org_id, environment_id, member_id })).length > 0
}

const lockParents = defineStatement(
  'environment_members.lock_parents',
  { org_id: uuid, member_id: uuid },
  { environment_id: uuid, name: text, archived_at: nullable(time) },
  `select e.environment_id, e.name, e.archived_at
   from environment_members m
   join environments e on e.org_id = m.org_id and e.environment_id = m.environment_id
   where m.org_id = :org_id and m.member_id = :member_id
   order by e.environment_id
   for no key update of e`,
)

const removeEverywhere = defineStatement(
  'environment_members.remove_everywhere',
  { org_id: uuid, member_id: uuid },
  {},
  'delete from environment_members where org_id = :org_id and member_id = :member_id',
)

/** Removes an environment, locked by the caller, from all logical ones and returns those. */
export async function removeFromLogical(db: Db, org_id: string, member_id: string) {
  const parents = await db.run(lockParents, { org_id, member_id })
  await db.run(removeEverywhere, { org_id, member_id })
  return parents
}
