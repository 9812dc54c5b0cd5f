// Every statement about service accounts, except those of the admin CLI (orgs/store.ts).
import { computed, pick, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'

/** The fields that admins set. */
const FIELDS = {
  display_name: text,
  privilege: text,
  description: text,
  owner_user_id: nullable(uuid),
  /** Null if the organization owns it. */
  owner_name: nullable(text),
  keys_stop_at: nullable(time),
}

const NEW = {
  service_account_id: uuid,
  name: text,
  ...FIELDS,
  creating_user_id: nullable(uuid),
  created_by: text,
}

/** An account `a`, with the role of its owner, now or when they left; null if nobody knows. */
const ACCOUNT = {
  ...NEW,
  created_at: time,
  for_webhook: bool,
  owner_role: computed(
    nullable(text),
    `coalesce((select m.role from memberships m where m.org_id = a.org_id and m.user_id = a.owner_user_id),
       a.owner_left_as)`,
  ),
}

const insert = defineStatement(
  'service_accounts.create',
  { org_id: uuid, ...NEW, now: time },
  ACCOUNT,
  `insert into service_accounts as a (org_id, ${toColumnList(NEW)}, created_at)
   values (:org_id, ${toValueList(NEW)}, :now)
   on conflict (org_id, name) where deleted_at is null do nothing
   returning ${toSelectList('a', ACCOUNT)}`,
)

export type AccountRow = RowOf<typeof insert>

export type NewAccount = Values<typeof NEW>

/** Undefined if an active account has the name. */
export async function insertAccount(
  db: Db,
  org_id: string,
  account: NewAccount,
  now: Date,
): Promise<AccountRow | undefined> {
  return (await db.run(insert, { org_id, ...account, now }))[0]
}

const list = defineStatement(
  'service_accounts.list',
  { org_id: uuid },
  ACCOUNT,
  `select ${toSelectList('a', ACCOUNT)}
   from service_accounts a where a.org_id = :org_id and a.deleted_at is null
   order by a.name`,
)

export function listAccounts(db: Database, org_id: string): Promise<AccountRow[]> {
  return db.runOnce({ org_id }, list, { org_id })
}

const find = defineStatement(
  'service_accounts.get',
  { org_id: uuid, name: text },
  ACCOUNT,
  `select ${toSelectList('a', ACCOUNT)}
   from service_accounts a where a.org_id = :org_id and a.name = :name and a.deleted_at is null`,
)

export async function findAccount(db: Db, org_id: string, name: string): Promise<AccountRow | undefined> {
  return (await db.run(find, { org_id, name }))[0]
}

export async function findAccountOnce(
  db: Database,
  org_id: string,
  name: string,
): Promise<AccountRow | undefined> {
  return (await db.runOnce({ org_id }, find, { org_id, name }))[0]
}

const lock = defineStatement(
  'service_accounts.lock',
  { org_id: uuid, name: text },
  ACCOUNT,
  `select ${toSelectList('a', ACCOUNT)}
   from service_accounts a where a.org_id = :org_id and a.name = :name and a.deleted_at is null
   for update of a`,
)

/** Until the end of the transaction, nobody else can change it, delete it or create keys for it. */
export async function lockAccount(db: Db, org_id: string, name: string): Promise<AccountRow | undefined> {
  return (await db.run(lock, { org_id, name }))[0]
}

const update = defineStatement(
  'service_accounts.update',
  { org_id: uuid, service_account_id: uuid, ...FIELDS },
  {},
  `update service_accounts set ${toSetList(FIELDS)}
   where org_id = :org_id and service_account_id = :service_account_id`,
)

export async function updateAccount(
  db: Db,
  org_id: string,
  account: Values<typeof FIELDS> & { service_account_id: string },
): Promise<void> {
  await db.run(update, { org_id, ...account })
}

const remove = defineStatement(
  'service_accounts.delete',
  { org_id: uuid, service_account_id: uuid, now: time },
  {},
  `update service_accounts set deleted_at = :now
   where org_id = :org_id and service_account_id = :service_account_id`,
)

export async function deleteAccount(
  db: Db,
  org_id: string,
  service_account_id: string,
  now: Date,
): Promise<void> {
  await db.run(remove, { org_id, service_account_id, now })
}

const OWNERSHIP = pick(ACCOUNT, 'owner_user_id', 'owner_name', 'keys_stop_at', 'owner_role')

const findById = defineStatement(
  'service_accounts.by_id',
  { org_id: uuid, service_account_id: uuid },
  OWNERSHIP,
  `select ${toSelectList('a', OWNERSHIP)} from service_accounts a
   where a.org_id = :org_id and a.service_account_id = :service_account_id`,
)

/** The owner of an account, and when its keys stop if the owner has left. */
export async function findOwnership(db: Db, org_id: string, service_account_id: string) {
  return (await db.run(findById, { org_id, service_account_id }))[0]
}
