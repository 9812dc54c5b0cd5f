// The statements that find keys that expire soon and the people to notify, and that record sent notices. The search
// runs as the worker; everything else runs in the scope of the organization or person.
import type { Database, Db } from '../db/database.ts'
import { isThawed } from '../db/frozen-orgs.ts'
import {
  defineStatement,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'
import type { ExpiryNotice } from '../domain/notification/key-expiry.ts'

export const KEY_EXPIRY = 'api_key_expiry'

/** A key that expires by `first_at` may have a first notice due, one that expires by `last_at` its last notice. */
export interface Horizons {
  now: Date
  first_at: Date
  last_at: Date
}

const HORIZONS = { now: time, first_at: time, last_at: time }

/** Keys `k` that may have a notice due. The domain decides which. */
const EXPIRING = buildExpiringCondition('k.expires_at')
/** For a service account `a`: its keys also stop some time after its owner has left. */
const ACCOUNT_KEY_EXPIRES_AT = 'least(k.expires_at, a.keys_stop_at)'
const ACCOUNT_KEY_EXPIRING = buildExpiringCondition(ACCOUNT_KEY_EXPIRES_AT)

function buildExpiringCondition(expires_at: string): string {
  return `k.revoked_at is null and k.replaced_by is null and ${expires_at} > :now and ${expires_at} <= :first_at
     and (k.expiry_notice is null or (k.expiry_notice = 'first' and ${expires_at} <= :last_at))`
}

const expiringOwners = defineStatement(
  'key_expiry.expiring_owners',
  HORIZONS,
  { org_id: nullable(uuid), user_id: nullable(uuid) },
  `select k.org_id, null::uuid as user_id from service_account_keys k where ${EXPIRING} and ${isThawed('k.org_id')}
   union
   select k.org_id, null from service_accounts a
   join service_account_keys k on k.org_id = a.org_id and k.service_account_id = a.service_account_id
   where a.keys_stop_at > :now and a.keys_stop_at <= :first_at and ${ACCOUNT_KEY_EXPIRING}
     and ${isThawed('k.org_id')}
   union all
   select distinct null::uuid, k.user_id from personal_keys k where ${EXPIRING}`,
)

export interface ExpiringOwners {
  org_ids: string[]
  user_ids: string[]
}

/** The owners of keys that expire soon. */
export async function findExpiringOwners(db: Database, horizons: Horizons): Promise<ExpiringOwners> {
  const rows = await db.runOnce({ worker: true }, expiringOwners, { ...horizons })
  return {
    org_ids: rows.flatMap(({ org_id }) => org_id ?? []),
    user_ids: rows.flatMap(({ user_id }) => user_id ?? []),
  }
}

const lock = defineStatement(
  'key_expiry.lock_org',
  { org_id: uuid, notification_type: text },
  { org: text },
  `insert into notification_configs as c (org_id, notification_type)
   select o.org_id, :notification_type from orgs o where o.org_id = :org_id
   on conflict (org_id, notification_type) do update set notification_type = c.notification_type
   returning (select o.name from orgs o where o.org_id = c.org_id) as org`,
)

/** Returns the name of the organization. Other scans wait for the lock, so that all keys go into one message. */
export async function lockOrg(db: Db, org_id: string): Promise<string | undefined> {
  return (await db.run(lock, { org_id, notification_type: KEY_EXPIRY }))[0]?.org
}

const KEY_ROW = {
  key_id: uuid,
  owner: text,
  created_by: text,
  hint: text,
  description: text,
  created_at: time,
  expires_at: nullable(time),
  last_used_at: nullable(time),
  expiry_notice: nullable(text),
}

export type KeyRow = RowOf<typeof accountKeys>

const accountKeys = defineStatement(
  'key_expiry.lock_account_keys',
  { org_id: uuid, ...HORIZONS },
  KEY_ROW,
  `select k.key_id, a.name as owner, k.created_by, k.hint, k.description, k.created_at,
     ${ACCOUNT_KEY_EXPIRES_AT} as expires_at, k.last_used_at, k.expiry_notice
   from service_account_keys k
   join service_accounts a on a.org_id = k.org_id and a.service_account_id = k.service_account_id
   where k.org_id = :org_id and a.deleted_at is null and ${ACCOUNT_KEY_EXPIRING}
   order by k.key_id
   for update of k skip locked`,
  readsWholeOrg('an hourly scan compares every key with the time'),
)

/** Skips keys that another transaction is changing; the next scan finds them. */
export function lockAccountKeys(db: Db, org_id: string, horizons: Horizons): Promise<KeyRow[]> {
  return db.run(accountKeys, { org_id, ...horizons })
}

const targets = defineStatement(
  'key_expiry.targets',
  { org_id: uuid, notification_type: text },
  { target_id: uuid, switched_off_at: nullable(time) },
  `select target_id, switched_off_at from notification_targets
   where org_id = :org_id and notification_type = :notification_type and removed_at is null
   order by position`,
)

export function listTargets(db: Db, org_id: string): Promise<RowOf<typeof targets>[]> {
  return db.run(targets, { org_id, notification_type: KEY_EXPIRY })
}

const recipients = defineStatement(
  'key_expiry.recipients',
  { org_id: uuid, creators: texts },
  { name: text, email: nullable(text), role: text },
  `select u.name, u.email, m.role from memberships m join users u on u.user_id = m.user_id
   where m.org_id = :org_id and u.email is not null and u.deactivated_at is null
     and (m.role = 'admin' or u.name = any (:creators))
   order by u.name`,
)

export interface Recipient {
  name: string
  email: string
  role: string
}

/** Admins, and creators of the keys who are still members; only those with a mail address. */
export async function findRecipients(
  db: Db,
  org_id: string,
  creators: readonly string[],
): Promise<Recipient[]> {
  const rows = await db.run(recipients, { org_id, creators: [...creators] })
  return rows.flatMap(({ email, ...row }) => (email === null ? [] : { ...row, email }))
}

const fail = defineStatement(
  'key_expiry.save_failure',
  { org_id: uuid, notification_type: text, now: time, error: text },
  {},
  `update notification_configs set last_failed_at = :now, last_error = :error
   where org_id = :org_id and notification_type = :notification_type`,
)

export async function saveFailure(db: Db, org_id: string, now: Date, error: string): Promise<void> {
  await db.run(fail, { org_id, notification_type: KEY_EXPIRY, now, error })
}

const updateAccountKeys = defineStatement(
  'key_expiry.save_account_key_notice',
  { org_id: uuid, key_ids: uuids, notice: text },
  {},
  `update service_account_keys set expiry_notice = :notice
   where org_id = :org_id and key_id = any (:key_ids)`,
)

export async function saveAccountKeyNotice(
  db: Db,
  org_id: string,
  notice: ExpiryNotice,
  key_ids: string[],
): Promise<void> {
  if (key_ids.length > 0) await db.run(updateAccountKeys, { org_id, key_ids, notice })
}

const personalOrg = defineStatement(
  'key_expiry.personal_org',
  { user_id: uuid },
  { org_id: uuid, name: text },
  `select o.org_id, o.name from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and o.kind = 'personal' and o.delete_requested_at is null
   order by o.org_id limit 1`,
)

/** The personal organization of a user, if there is one. */
export async function findPersonalOrg(
  db: Database,
  user_id: string,
): Promise<{ org_id: string; name: string } | undefined> {
  return (await db.runOnce({ user_id }, personalOrg, { user_id }))[0]
}

const lockUser = defineStatement(
  'key_expiry.lock_user',
  { user_id: uuid },
  { name: text, email: nullable(text) },
  `select name, email from users
   where user_id = :user_id and email is not null and deactivated_at is null
   for no key update`,
)

/** Undefined for a user who cannot be notified. */
export async function lockOwner(
  db: Db,
  user_id: string,
): Promise<{ name: string; email: string } | undefined> {
  const [row] = await db.run(lockUser, { user_id })
  return row && row.email !== null ? { name: row.name, email: row.email } : undefined
}

const personalKeys = defineStatement(
  'key_expiry.lock_personal_keys',
  { user_id: uuid, ...HORIZONS },
  KEY_ROW,
  `select k.key_id, u.name as owner, u.name as created_by, k.hint, k.description, k.created_at, k.expires_at,
     k.last_used_at, k.expiry_notice
   from personal_keys k join users u on u.user_id = k.user_id
   where k.user_id = :user_id and ${EXPIRING}
   order by k.key_id
   for update of k skip locked`,
)

export function lockPersonalKeys(db: Db, user_id: string, horizons: Horizons): Promise<KeyRow[]> {
  return db.run(personalKeys, { user_id, ...horizons })
}

const updatePersonalKeys = defineStatement(
  'key_expiry.save_personal_key_notice',
  { user_id: uuid, key_ids: uuids, notice: text },
  {},
  `update personal_keys set expiry_notice = :notice where user_id = :user_id and key_id = any (:key_ids)`,
)

export async function savePersonalKeyNotice(
  db: Db,
  user_id: string,
  notice: ExpiryNotice,
  key_ids: string[],
): Promise<void> {
  if (key_ids.length > 0) await db.run(updatePersonalKeys, { user_id, key_ids, notice })
}
