// The SQL of user deactivation. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { defineStatement, nullable, type RowOf, text, time, uuid } from '../db/statement.ts'

const lock = defineStatement(
  'deactivate.lock_user',
  { name: text },
  { user_id: uuid, name: text, deactivated_at: nullable(time), home_org_id: nullable(uuid) },
  `select u.user_id, u.name, u.deactivated_at,
     (select o.org_id from orgs o where o.name = u.name and o.kind = 'personal') as home_org_id
   from users u where u.name = :name for no key update of u`,
)

/** Nobody can sign in as this person until the transaction ends. */
export async function lockUser(db: Db, name: string): Promise<RowOf<typeof lock> | undefined> {
  return (await db.run(lock, { name }))[0]
}

const setDeactivated = defineStatement(
  'deactivate.set_deactivated',
  { user_id: uuid, deactivated_at: nullable(time) },
  {},
  'update users set deactivated_at = :deactivated_at where user_id = :user_id',
)

export async function setDeactivatedAt(db: Db, user_id: string, deactivated_at: Date | null): Promise<void> {
  await db.run(setDeactivated, { user_id, deactivated_at })
}

const revokeAll = defineStatement(
  'deactivate.revoke_logins',
  { user_id: uuid, now: time },
  {},
  `with links as (
     update sign_in_links set redeemed_at = :now where user_id = :user_id and redeemed_at is null
   )
   update sessions set ended_at = :now where user_id = :user_id and ended_at is null`,
)

/** Ends sessions and mailed sign-in links. Reactivation does not bring them back. */
export async function revokeLogins(db: Db, user_id: string, now: Date): Promise<void> {
  await db.run(revokeAll, { user_id, now })
}

const orgsWithAccounts = defineStatement(
  'deactivate.orgs_with_accounts',
  { user_id: uuid },
  { org_id: uuid },
  'select distinct org_id from service_accounts where owner_user_id = :user_id and deleted_at is null',
)

/** The orgs in which a user owns service accounts. */
export async function listOrgsWithOwnedAccounts(db: Db, user_id: string): Promise<string[]> {
  return (await db.run(orgsWithAccounts, { user_id })).map(({ org_id }) => org_id)
}

const orgsOfAdmin = defineStatement(
  'deactivate.orgs_of_admin',
  { user_id: uuid },
  { org_id: uuid },
  "select org_id from memberships where user_id = :user_id and role = 'admin'",
)

/** The orgs in which a user is an admin. */
export async function listOrgsOfAdmin(db: Db, user_id: string): Promise<string[]> {
  return (await db.run(orgsOfAdmin, { user_id })).map(({ org_id }) => org_id)
}

const onlyAdmin = defineStatement(
  'deactivate.only_admin',
  { user_id: uuid },
  { name: text },
  `select o.name from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and m.role = 'admin' and o.kind = 'shared' and o.delete_requested_at is null
     and not exists (
       select from memberships other join users u on u.user_id = other.user_id
       where other.org_id = m.org_id and other.role = 'admin' and other.user_id <> :user_id
         and u.deactivated_at is null
     )
   order by o.name`,
)

/** The shared orgs that have no other active admin. */
export async function listSoleAdminOrgs(db: Db, user_id: string): Promise<string[]> {
  return (await db.run(onlyAdmin, { user_id })).map(({ name }) => name)
}

const all = defineStatement(
  'deactivate.list',
  {},
  { name: text, email: nullable(text), created_at: time, deactivated_at: nullable(time) },
  'select name, email, created_at, deactivated_at from users order by name',
)

export function listAllUsers(db: Db): Promise<RowOf<typeof all>[]> {
  return db.run(all, {})
}
