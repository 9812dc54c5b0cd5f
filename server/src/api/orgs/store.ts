// Every statement about orgs, their members and their service accounts. The admin program is the only writer so far;
// it works as the owner of the schema, across orgs.
import type { Database, Db } from '../../db/database.ts'
import { bool, json, nullable, type RowOf, statement, text, time, uuid } from '../../db/statement.ts'

export type Features = Record<string, boolean>

const insert = statement(
  'orgs.insert_or_keep',
  { org_id: uuid, name: text, kind: text, description: text, features: json<Features>(), now: time },
  { org_id: uuid },
  `insert into orgs (org_id, name, kind, description, features, created_at)
   values (:org_id, :name, :kind, :description, :features::jsonb, :now)
   on conflict (name) do nothing
   returning org_id`,
)

export interface NewOrg {
  org_id: string
  name: string
  kind: 'personal' | 'shared'
  description: string
  features: Features
  now: Date
}

/** True when the org is new. */
export async function insertOrg(db: Db, org: NewOrg): Promise<boolean> {
  return (await db.run(insert, org)).length > 0
}

const find = statement(
  'orgs.find',
  { name: text },
  { org_id: uuid, kind: text, description: text, features: json<Features>() },
  'select org_id, kind, description, features from orgs where name = :name',
)

export type OrgRow = RowOf<typeof find>

export async function findOrg(db: Db, name: string): Promise<OrgRow | undefined> {
  return (await db.run(find, { name }))[0]
}

const findPublic = statement(
  'orgs.find_public',
  { name: text },
  { org_id: uuid, name: text },
  `select org_id, name from orgs
   where name = :name and (settings ->> 'public_read')::boolean and delete_requested_at is null`,
)

/** An org that lets everybody read. */
export async function findPublicOrg(
  db: Database,
  name: string,
): Promise<{ org_id: string; name: string } | undefined> {
  return (await db.read({}, findPublic, { name }))[0]
}

const change = statement(
  'orgs.change',
  { org_id: uuid, description: text, features: json<Features>() },
  {},
  'update orgs set description = :description, features = :features::jsonb where org_id = :org_id',
)

export async function changeOrg(
  db: Db,
  org_id: string,
  to: { description: string; features: Features },
): Promise<void> {
  await db.run(change, { org_id, ...to })
}

const saveMembership = statement(
  'memberships.save',
  { org_id: uuid, user_id: uuid, role: text, now: time },
  { previous_role: nullable(text), changed: bool },
  `with before as (
     select role from memberships where org_id = :org_id and user_id = :user_id for update
   ), saved as (
     insert into memberships (org_id, user_id, role, created_at) values (:org_id, :user_id, :role, :now)
     on conflict (org_id, user_id) do update set role = excluded.role where memberships.role <> excluded.role
     returning role
   )
   select (select role from before) as previous_role, exists (select from saved) as changed`,
)

/** Adds the member or changes the role; says what was before and whether anything changed. */
export async function saveMember(
  db: Db,
  org_id: string,
  member: { user_id: string; role: string; now: Date },
): Promise<{ previous_role: string | null; changed: boolean }> {
  const [saved] = await db.run(saveMembership, { org_id, ...member })
  return saved ?? { previous_role: null, changed: false }
}

const insertAccount = statement(
  'service_accounts.insert_or_keep',
  { org_id: uuid, service_account_id: uuid, name: text, privilege: text, description: text, now: time },
  { service_account_id: uuid },
  `insert into service_accounts (org_id, service_account_id, name, display_name, privilege, description, created_at)
   values (:org_id, :service_account_id, :name, :name, :privilege, :description, :now)
   on conflict (org_id, name) where deleted_at is null do nothing
   returning service_account_id`,
)

/** True when the account is new. */
export async function insertServiceAccount(
  db: Db,
  org_id: string,
  account: { service_account_id: string; name: string; privilege: string; description: string; now: Date },
): Promise<boolean> {
  return (await db.run(insertAccount, { org_id, ...account })).length > 0
}

const findAccount = statement(
  'service_accounts.find',
  { org_id: uuid, name: text },
  { service_account_id: uuid, privilege: text, description: text },
  `select service_account_id, privilege, description from service_accounts
   where org_id = :org_id and name = :name and deleted_at is null`,
)

export async function findServiceAccount(db: Db, org_id: string, name: string) {
  return (await db.run(findAccount, { org_id, name }))[0]
}

const changeAccount = statement(
  'service_accounts.change',
  { org_id: uuid, service_account_id: uuid, privilege: text, description: text },
  {},
  `update service_accounts set privilege = :privilege, description = :description
   where org_id = :org_id and service_account_id = :service_account_id`,
)

export async function changeServiceAccount(
  db: Db,
  org_id: string,
  account: { service_account_id: string; privilege: string; description: string },
): Promise<void> {
  await db.run(changeAccount, { org_id, ...account })
}
