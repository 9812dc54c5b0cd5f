// Every statement about orgs, and about the service accounts that the admin CLI creates in them as the schema owner,
// across orgs. shared/org-details-store.ts reads and locks their settings; shared/membership.ts changes members.

import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
} from '../../db/statement.ts'
import type { Features } from '../../domain/features.ts'
import { NEW_ORG_SETTINGS, type OrgSettings } from '../../domain/org-settings.ts'
import type { OwnQuotas } from '../../domain/quotas.ts'
import type { SsoRule } from '../../domain/single-sign-on.ts'

const insert = defineStatement(
  'orgs.insert_or_keep',
  {
    org_id: uuid,
    name: text,
    kind: text,
    description: text,
    features: json<Features>(),
    settings: json<OrgSettings>(),
    sponsor: nullable(text),
    now: time,
  },
  { org_id: uuid },
  `insert into orgs (org_id, name, kind, description, features, settings, sponsor, created_at)
   values (:org_id, :name, :kind, :description, :features::jsonb, :settings::jsonb, :sponsor, :now)
   on conflict do nothing
   returning org_id`,
)

export interface NewOrg {
  org_id: string
  name: string
  kind: 'personal' | 'shared'
  description: string
  features: Features
  /** Null: it stands for itself. */
  sponsor: string | null
  now: Date
}

/** True if the org is new. */
export async function insertOrg(db: Db, org: NewOrg): Promise<boolean> {
  const settings = org.kind === 'shared' ? NEW_ORG_SETTINGS : {}
  return (await db.run(insert, { ...org, settings })).length > 0
}

const find = defineStatement(
  'orgs.find',
  { name: text },
  {
    org_id: uuid,
    kind: text,
    description: text,
    features: json<Features>(),
    delete_requested_at: nullable(time),
  },
  'select org_id, kind, description, features, delete_requested_at from orgs where name = :name',
)

export type OrgRow = RowOf<typeof find>

export async function findOrg(db: Db, name: string): Promise<OrgRow | undefined> {
  return (await db.run(find, { name }))[0]
}

const findPublic = defineStatement(
  'orgs.find_public',
  { name: text, setting: text },
  {
    org_id: uuid,
    name: text,
    features: json<Features>(),
    settings: json<OrgSettings>(),
    quotas: json<OwnQuotas>(),
    sponsor: nullable(text),
  },
  `select org_id, name, features, settings, quotas, sponsor from orgs
   where name = :name and (settings ->> :setting)::boolean and delete_requested_at is null`,
)

/** An org whose public flows or log are open to everybody. */
export async function findPublicOrg(
  db: Database,
  name: string,
  setting: 'public_read' | 'public_log',
): Promise<RowOf<typeof findPublic> | undefined> {
  return (await db.read({}, findPublic, { name, setting }))[0]
}

const update = defineStatement(
  'orgs.update',
  { org_id: uuid, description: text, features: json<Features>() },
  {},
  'update orgs set description = :description, features = :features::jsonb where org_id = :org_id',
)

export async function updateOrg(
  db: Db,
  org_id: string,
  to: { description: string; features: Features },
): Promise<void> {
  await db.run(update, { org_id, ...to })
}

const saveDetails = defineStatement(
  'orgs.save_details',
  { org_id: uuid, description: text, features: json<Features>(), settings: json<OrgSettings>() },
  {},
  `update orgs set description = :description, features = :features::jsonb, settings = :settings::jsonb
   where org_id = :org_id`,
)

export async function saveOrgDetails(
  db: Db,
  org_id: string,
  to: { description: string; features: Features; settings: OrgSettings },
): Promise<void> {
  await db.run(saveDetails, { org_id, ...to })
}

const ofUser = defineStatement(
  'orgs.of_user',
  { user_id: uuid },
  { name: text, kind: text, description: text, role: text },
  `select o.name, o.kind, o.description, m.role from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and o.delete_requested_at is null
   order by o.name`,
)

export function listUserOrgs(db: Database, user_id: string) {
  return db.runOnce({ user_id }, ofUser, { user_id })
}

const requiringSso = defineStatement(
  'orgs.requiring_sso',
  { user_id: uuid },
  { name: text, role: text, rule: json<SsoRule>() },
  `select o.name, m.role, o.settings as rule from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and o.delete_requested_at is null and (o.settings ->> 'sso_required')::boolean
   order by o.name`,
)

/** Only organizations that the user is a member of. */
export function listOrgsRequiringSso(db: Database, user_id: string) {
  return db.runOnce({ user_id }, requiringSso, { user_id })
}

const ownNamed = defineStatement(
  'orgs.own_named',
  { user_id: uuid, name: text },
  { org_id: uuid },
  `select o.org_id from orgs o join memberships m on m.org_id = o.org_id and m.user_id = :user_id
   where o.name = :name and o.delete_requested_at is null`,
)

/** The org with that name, if the user is a member of it. */
export async function findOwnOrg(db: Database, user_id: string, name: string): Promise<string | undefined> {
  return (await db.runOnce({ user_id }, ownNamed, { user_id, name }))[0]?.org_id
}

const adminOfShared = defineStatement(
  'orgs.admin_of_shared',
  { user_id: uuid },
  { is_admin: bool },
  `select exists (
     select from memberships m join orgs o on o.org_id = m.org_id
     where m.user_id = :user_id and m.role = 'admin' and o.kind = 'shared' and o.delete_requested_at is null
   ) as is_admin`,
)

/** Call it in the scope of the user. */
export async function isAdminOfShared(db: Db, user_id: string): Promise<boolean> {
  return (await db.run(adminOfShared, { user_id }))[0]?.is_admin ?? false
}

const requestDeletion = defineStatement(
  'orgs.request_deletion',
  { org_id: uuid, now: nullable(time), delete_after: nullable(time) },
  {},
  'update orgs set delete_requested_at = :now, delete_after = :delete_after where org_id = :org_id',
)

/** Null cancels the scheduled deletion. */
export async function setDeletion(
  db: Db,
  org_id: string,
  to: { now: Date | null; delete_after: Date | null },
): Promise<void> {
  await db.run(requestDeletion, { org_id, ...to })
}

const deletion = defineStatement(
  'orgs.find_deletion',
  { name: text },
  { org_id: uuid, delete_requested_at: nullable(time), delete_after: nullable(time) },
  'select org_id, delete_requested_at, delete_after from orgs where name = :name for no key update',
)

/** For the admin CLI: the org, whether or not it waits to be deleted. */
export async function lockDeletion(db: Db, name: string): Promise<RowOf<typeof deletion> | undefined> {
  return (await db.run(deletion, { name }))[0]
}

const lockQuotas = defineStatement(
  'orgs.lock_quotas',
  { name: text },
  { org_id: uuid, quotas: json<OwnQuotas>() },
  'select org_id, quotas from orgs where name = :name for no key update',
)

/** For the admin CLI. */
export async function lockOrgQuotas(db: Db, name: string): Promise<RowOf<typeof lockQuotas> | undefined> {
  return (await db.run(lockQuotas, { name }))[0]
}

const saveQuotas = defineStatement(
  'orgs.save_quotas',
  { org_id: uuid, quotas: json<OwnQuotas>() },
  {},
  'update orgs set quotas = :quotas::jsonb where org_id = :org_id',
)

export async function saveOrgQuotas(db: Db, org_id: string, quotas: OwnQuotas): Promise<void> {
  await db.run(saveQuotas, { org_id, quotas })
}

const callers = defineStatement(
  'orgs.callers',
  { org_id: uuid },
  { caller_id: uuid },
  `select m.user_id as caller_id from memberships m where m.org_id = :org_id
   union all select a.service_account_id from service_accounts a where a.org_id = :org_id
   union all select r.rule_id from trust_rules r where r.org_id = :org_id`,
)

/** Every caller that the auth cache may hold for the org. */
export async function listCallerIds(db: Db, org_id: string): Promise<string[]> {
  return (await db.run(callers, { org_id })).map(({ caller_id }) => caller_id)
}

const nonAdmins = defineStatement(
  'orgs.not_admins',
  { org_id: uuid, names: texts },
  { name: text },
  `select n.name from unnest(:names::text[]) with ordinality n (name, place)
   where not exists (
     select from memberships m join users u on u.user_id = m.user_id
     where m.org_id = :org_id and m.role = 'admin' and u.name = n.name and u.deactivated_at is null
   )
   order by n.place`,
)

/** The names that do not belong to an admin of the org. */
export async function listNonAdmins(db: Db, org_id: string, names: readonly string[]): Promise<string[]> {
  return (await db.run(nonAdmins, { org_id, names: [...names] })).map(({ name }) => name)
}

const insertAccount = defineStatement(
  'service_accounts.insert_or_keep',
  { org_id: uuid, service_account_id: uuid, name: text, privilege: text, description: text, now: time },
  { service_account_id: uuid },
  `insert into service_accounts (org_id, service_account_id, name, display_name, privilege, description, created_at)
   values (:org_id, :service_account_id, :name, :name, :privilege, :description, :now)
   on conflict (org_id, name) where deleted_at is null do nothing
   returning service_account_id`,
)

/** True if the account is new. */
export async function insertServiceAccount(
  db: Db,
  org_id: string,
  account: { service_account_id: string; name: string; privilege: string; description: string; now: Date },
): Promise<boolean> {
  return (await db.run(insertAccount, { org_id, ...account })).length > 0
}

const findAccount = defineStatement(
  'service_accounts.find',
  { org_id: uuid, name: text },
  { service_account_id: uuid, privilege: text, description: text },
  `select service_account_id, privilege, description from service_accounts
   where org_id = :org_id and name = :name and deleted_at is null`,
)

export async function findServiceAccount(db: Db, org_id: string, name: string) {
  return (await db.run(findAccount, { org_id, name }))[0]
}

const updateAccount = defineStatement(
  'service_accounts.change',
  { org_id: uuid, service_account_id: uuid, privilege: text, description: text },
  {},
  `update service_accounts set privilege = :privilege, description = :description
   where org_id = :org_id and service_account_id = :service_account_id`,
)

export async function updateServiceAccount(
  db: Db,
  org_id: string,
  account: { service_account_id: string; privilege: string; description: string },
): Promise<void> {
  await db.run(updateAccount, { org_id, ...account })
}
