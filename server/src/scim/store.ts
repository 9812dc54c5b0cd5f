// The statements about provisioned users: the identity provider's data, and the person each user is linked to.
import type { Values } from '@waybill/scim'
import { toColumnList, toSetList, toValueList } from '../db/columns.ts'
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
  time,
  uuid,
  uuids,
} from '../db/statement.ts'

/** The fields that the identity provider sends, without the display name. */
const FIELDS = {
  user_name: text,
  external_id: nullable(text),
  active: bool,
  email: nullable(text),
  resource: json<Values>(),
}

const USER = {
  scim_id: uuid,
  user_id: nullable(uuid),
  ...FIELDS,
  created_at: time,
  last_modified_at: time,
}

const find = defineStatement(
  'scim_users.find',
  { org_id: uuid, scim_id: uuid },
  USER,
  `select ${toColumnList(USER)} from scim_users where org_id = :org_id and scim_id = :scim_id`,
)

export type UserRow = RowOf<typeof find>

export async function findUser(db: Db, org_id: string, scim_id: string): Promise<UserRow | undefined> {
  return (await db.run(find, { org_id, scim_id }))[0]
}

const byName = defineStatement(
  'scim_users.by_name',
  { org_id: uuid, user_name: text },
  USER,
  `select ${toColumnList(USER)} from scim_users where org_id = :org_id and user_key = lower(:user_name)`,
)

export function listUsersByName(db: Db, org_id: string, user_name: string): Promise<UserRow[]> {
  return db.run(byName, { org_id, user_name })
}

const byExternalId = defineStatement(
  'scim_users.by_external_id',
  { org_id: uuid, external_id: text },
  USER,
  `select ${toColumnList(USER)} from scim_users
   where org_id = :org_id and external_id = :external_id and external_id is not null
   order by scim_id`,
)

export function listUsersByExternalId(db: Db, org_id: string, external_id: string): Promise<UserRow[]> {
  return db.run(byExternalId, { org_id, external_id })
}

const page = defineStatement(
  'scim_users.page',
  { org_id: uuid, limit: int, offset: count },
  USER,
  `select ${toColumnList(USER)} from scim_users where org_id = :org_id order by scim_id
   limit :limit::int offset :offset::bigint`,
)

export function listUserPage(db: Db, org_id: string, slice: { limit: number; offset: number }) {
  return db.run(page, { org_id, ...slice })
}

const total = defineStatement(
  'scim_users.count',
  { org_id: uuid },
  { total: count },
  'select count(*) as total from scim_users where org_id = :org_id',
)

export async function countUsers(db: Db, org_id: string): Promise<number> {
  return (await db.run(total, { org_id }))[0]?.total ?? 0
}

const batch = defineStatement(
  'scim_users.batch',
  { org_id: uuid, after: uuid, limit: int },
  USER,
  `select ${toColumnList(USER)} from scim_users where org_id = :org_id and scim_id > :after order by scim_id
   limit :limit::int`,
)

export function listUsersAfter(db: Db, org_id: string, from: { after: string; limit: number }) {
  return db.run(batch, { org_id, ...from })
}

const lock = defineStatement(
  'scim_users.lock',
  { org_id: uuid, scim_id: uuid },
  USER,
  `select ${toColumnList(USER)} from scim_users where org_id = :org_id and scim_id = :scim_id for update`,
)

export async function lockUser(db: Db, org_id: string, scim_id: string): Promise<UserRow | undefined> {
  return (await db.run(lock, { org_id, scim_id }))[0]
}

const SENT = { ...FIELDS, display_name: nullable(text) }

const insert = defineStatement(
  'scim_users.insert_or_keep',
  { org_id: uuid, scim_id: uuid, ...SENT, now: time },
  { scim_id: uuid },
  `insert into scim_users (org_id, scim_id, ${toColumnList(SENT)}, created_at, last_modified_at)
   values (:org_id, :scim_id, ${toValueList(SENT)}, :now, :now)
   on conflict do nothing
   returning scim_id`,
)

export type SavedUser = Omit<ParamsOf<typeof insert>, 'org_id'>

/** False if the name or the address is already used in the organization. Link the person afterwards. */
export async function insertUser(db: Db, org_id: string, user: SavedUser): Promise<boolean> {
  return (await db.run(insert, { org_id, ...user })).length > 0
}

const update = defineStatement(
  'scim_users.update',
  { org_id: uuid, scim_id: uuid, ...SENT, now: time },
  {},
  `update scim_users set ${toSetList(SENT)}, last_modified_at = :now
   where org_id = :org_id and scim_id = :scim_id`,
)

export async function updateUser(db: Db, org_id: string, user: SavedUser): Promise<void> {
  await db.run(update, { org_id, ...user })
}

const link = defineStatement(
  'scim_users.link',
  { org_id: uuid, scim_id: uuid, user_id: nullable(uuid) },
  {},
  'update scim_users set user_id = :user_id where org_id = :org_id and scim_id = :scim_id',
)

/** Links the person; null means that no person is linked yet. */
export async function linkUser(
  db: Db,
  org_id: string,
  to: { scim_id: string; user_id: string | null },
): Promise<void> {
  await db.run(link, { org_id, ...to })
}

const addressHolders = defineStatement(
  'scim_users.with_address',
  { org_id: uuid, email: text },
  { scim_id: uuid },
  'select scim_id from scim_users where org_id = :org_id and email_key = lower(:email)',
)

/** The user of the organization with this address, according to its directory. */
export async function findUserByAddress(db: Db, org_id: string, email: string): Promise<string | undefined> {
  return (await db.run(addressHolders, { org_id, email }))[0]?.scim_id
}

const remove = defineStatement(
  'scim_users.delete',
  { org_id: uuid, scim_id: uuid },
  {},
  'delete from scim_users where org_id = :org_id and scim_id = :scim_id',
)

/** Also deletes the user's group memberships. */
export async function deleteUser(db: Db, org_id: string, scim_id: string): Promise<void> {
  await db.run(remove, { org_id, scim_id })
}

const groups = defineStatement(
  'scim_users.groups',
  { org_id: uuid, scim_ids: uuids },
  { scim_id: uuid, group_id: uuid, display_name: text },
  `select m.scim_id, g.group_id, g.display_name
   from unnest(:scim_ids::uuid[]) wanted (scim_id)
   join scim_group_members m on m.org_id = :org_id and m.scim_id = wanted.scim_id
   join scim_groups g on g.org_id = m.org_id and g.group_id = m.group_id
   order by g.group_id`,
)

export type GroupOfUser = RowOf<typeof groups>

export function listGroupsOfUsers(db: Db, org_id: string, scim_ids: string[]): Promise<GroupOfUser[]> {
  return db.run(groups, { org_id, scim_ids })
}
