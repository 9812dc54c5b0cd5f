// The statements about provisioned groups, their members, and the roles that they grant.
import type { Values } from '@waybill/scim'
import { toColumnList, toSetList, toValueList } from '../db/columns.ts'
import { computeFirst } from '../db/compute-first.ts'
import type { Db } from '../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'

/** The fields that the identity provider sends, and the role that follows from them. */
const FIELDS = {
  display_name: text,
  external_id: nullable(text),
  role: nullable(text),
  resource: json<Values>(),
}

const GROUP = { group_id: uuid, ...FIELDS, created_at: time, last_modified_at: time }

const find = defineStatement(
  'scim_groups.find',
  { org_id: uuid, group_id: uuid },
  GROUP,
  `select ${toColumnList(GROUP)} from scim_groups where org_id = :org_id and group_id = :group_id`,
)

export type GroupRow = RowOf<typeof find>

export async function findGroup(db: Db, org_id: string, group_id: string): Promise<GroupRow | undefined> {
  return (await db.run(find, { org_id, group_id }))[0]
}

const byName = defineStatement(
  'scim_groups.by_name',
  { org_id: uuid, display_name: text },
  GROUP,
  `select ${toColumnList(GROUP)} from scim_groups where org_id = :org_id and display_key = lower(:display_name)`,
)

export function listGroupsByName(db: Db, org_id: string, display_name: string): Promise<GroupRow[]> {
  return db.run(byName, { org_id, display_name })
}

const page = defineStatement(
  'scim_groups.page',
  { org_id: uuid, limit: int, offset: count },
  GROUP,
  `select ${toColumnList(GROUP)} from scim_groups where org_id = :org_id order by group_id
   limit :limit::int offset :offset::bigint`,
)

export function listGroupPage(db: Db, org_id: string, slice: { limit: number; offset: number }) {
  return db.run(page, { org_id, ...slice })
}

const total = defineStatement(
  'scim_groups.count',
  { org_id: uuid },
  { total: count },
  'select count(*) as total from scim_groups where org_id = :org_id',
)

export async function countGroups(db: Db, org_id: string): Promise<number> {
  return (await db.run(total, { org_id }))[0]?.total ?? 0
}

const batch = defineStatement(
  'scim_groups.batch',
  { org_id: uuid, after: uuid, limit: int },
  GROUP,
  `select ${toColumnList(GROUP)} from scim_groups where org_id = :org_id and group_id > :after order by group_id
   limit :limit::int`,
)

export function listGroupsAfter(db: Db, org_id: string, from: { after: string; limit: number }) {
  return db.run(batch, { org_id, ...from })
}

const SAVED = { org_id: uuid, group_id: uuid, ...FIELDS, now: time }

const insert = defineStatement(
  'scim_groups.insert_or_keep',
  SAVED,
  { group_id: uuid },
  `insert into scim_groups (org_id, group_id, ${toColumnList(FIELDS)}, created_at, last_modified_at)
   values (:org_id, :group_id, ${toValueList(FIELDS)}, :now, :now)
   on conflict do nothing
   returning group_id`,
)

export type SavedGroup = Omit<ParamsOf<typeof insert>, 'org_id'>

/** False if the name is already used in the organization. */
export async function insertGroup(db: Db, org_id: string, group: SavedGroup): Promise<boolean> {
  return (await db.run(insert, { org_id, ...group })).length > 0
}

const update = defineStatement(
  'scim_groups.update',
  SAVED,
  {},
  `update scim_groups set ${toSetList(FIELDS)}, last_modified_at = :now
   where org_id = :org_id and group_id = :group_id`,
)

export async function updateGroup(db: Db, org_id: string, group: SavedGroup): Promise<void> {
  await db.run(update, { org_id, ...group })
}

const remove = defineStatement(
  'scim_groups.delete',
  { org_id: uuid, group_id: uuid },
  {},
  'delete from scim_groups where org_id = :org_id and group_id = :group_id',
)

export async function deleteGroup(db: Db, org_id: string, group_id: string): Promise<void> {
  await db.run(remove, { org_id, group_id })
}

const members = defineStatement(
  'scim_groups.members',
  { org_id: uuid, group_ids: uuids },
  { group_id: uuid, scim_id: uuid, user_name: text },
  `select m.group_id, m.scim_id, s.user_name
   from unnest(:group_ids::uuid[]) wanted (group_id)
   join scim_group_members m on m.org_id = :org_id and m.group_id = wanted.group_id
   join scim_users s on s.org_id = m.org_id and s.scim_id = m.scim_id
   order by m.scim_id`,
)

export type MemberRow = RowOf<typeof members>

export function listMembersOfGroups(db: Db, org_id: string, group_ids: string[]): Promise<MemberRow[]> {
  return db.run(members, { org_id, group_ids })
}

const known = defineStatement(
  'scim_groups.known_users',
  { org_id: uuid, scim_ids: uuids },
  { scim_id: uuid },
  `select s.scim_id from unnest(:scim_ids::uuid[]) wanted (scim_id)
   join scim_users s on s.org_id = :org_id and s.scim_id = wanted.scim_id`,
)

/** The ids that belong to users of the organization. */
export async function listKnownUsers(db: Db, org_id: string, scim_ids: string[]): Promise<string[]> {
  return (await db.run(known, { org_id, scim_ids })).map(({ scim_id }) => scim_id)
}

const add = defineStatement(
  'scim_groups.add_members',
  { org_id: uuid, group_id: uuid, scim_ids: uuids },
  {},
  `insert into scim_group_members (org_id, group_id, scim_id)
   select :org_id, :group_id, added.scim_id from unnest(:scim_ids::uuid[]) added (scim_id)
   on conflict do nothing`,
)

export async function addMembers(db: Db, org_id: string, group_id: string, scim_ids: string[]) {
  if (scim_ids.length > 0) await db.run(add, { org_id, group_id, scim_ids })
}

const take = defineStatement(
  'scim_groups.remove_members',
  { org_id: uuid, group_id: uuid, scim_ids: uuids },
  {},
  `delete from scim_group_members
   where org_id = :org_id and group_id = :group_id and scim_id = any (:scim_ids::uuid[])`,
)

export async function removeMembers(db: Db, org_id: string, group_id: string, scim_ids: string[]) {
  if (scim_ids.length > 0) await db.run(take, { org_id, group_id, scim_ids })
}

const roleStates = defineStatement(
  'scim_groups.role_states',
  { org_id: uuid, scim_ids: uuids },
  {
    user_id: nullable(uuid),
    user_name: nullable(text),
    active: bool,
    role: nullable(text),
    is_domain_proved: bool,
    group_roles: texts,
    default_role: nullable(text),
  },
  `select s.user_id, u.name as user_name, s.active, m.role,
     exists (
       select from mail_domains d
       where d.org_id = :org_id and d.domain = ${computeFirst("split_part(u.email_key, '@', -1)")}
         and d.proved_at is not null
     ) as is_domain_proved,
     array(
       select distinct g.role from scim_group_members gm
       join scim_groups g on g.org_id = gm.org_id and g.group_id = gm.group_id
       where gm.org_id = :org_id and gm.scim_id = s.scim_id and g.role is not null
     ) as group_roles,
     (select o.settings ->> 'default_role' from orgs o where o.org_id = :org_id) as default_role
   from unnest(:scim_ids::uuid[]) wanted (scim_id)
   join scim_users s on s.org_id = :org_id and s.scim_id = wanted.scim_id
   left join users u on u.user_id = s.user_id
   left join memberships m on m.org_id = :org_id and m.user_id = s.user_id
   order by s.scim_id`,
)

export type RoleState = RowOf<typeof roleStates>

/** The inputs that determine the roles of users, and each user's current role. */
export function listRoleStates(db: Db, org_id: string, scim_ids: string[]): Promise<RoleState[]> {
  return db.run(roleStates, { org_id, scim_ids })
}
