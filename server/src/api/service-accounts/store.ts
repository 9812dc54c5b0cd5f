// Every statement about service accounts, except those of the admin CLI (orgs/store.ts).
import type { Database, Db } from '../../db/database.ts'
import { bool, defineStatement, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'

const ACCOUNT_ROW = {
  service_account_id: uuid,
  name: text,
  display_name: text,
  privilege: text,
  description: text,
  creating_user_id: nullable(uuid),
  created_by: text,
  created_at: time,
  for_webhook: bool,
  owner_user_id: nullable(uuid),
  /** Null if the organization owns it. */
  owner_name: nullable(text),
  keys_stop_at: nullable(time),
}

const COLUMNS = `service_account_id, name, display_name, privilege, description, creating_user_id, created_by, created_at,
     for_webhook, owner_user_id, owner_name, keys_stop_at`

const insert = defineStatement(
  'service_accounts.create',
  {
    org_id: uuid,
    service_account_id: uuid,
    name: text,
    display_name: text,
    privilege: text,
    description: text,
    creating_user_id: nullable(uuid),
    created_by: text,
    owner_user_id: nullable(uuid),
    owner_name: nullable(text),
    keys_stop_at: nullable(time),
    now: time,
  },
  ACCOUNT_ROW,
  `insert into service_accounts (org_id, service_account_id, name, display_name, privilege, description,
                                 creating_user_id, created_by, owner_user_id, owner_name, keys_stop_at, created_at)
   values (:org_id, :service_account_id, :name, :display_name, :privilege, :description, :creating_user_id, :created_by,
           :owner_user_id, :owner_name, :keys_stop_at, :now)
   on conflict (org_id, name) where deleted_at is null do nothing
   returning ${COLUMNS}`,
)

export type AccountRow = RowOf<typeof insert>

export interface NewAccount {
  service_account_id: string
  name: string
  display_name: string
  privilege: string
  description: string
  creating_user_id: string | null
  created_by: string
  owner_user_id: string | null
  owner_name: string | null
  keys_stop_at: Date | null
}

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
  ACCOUNT_ROW,
  `select ${COLUMNS}
   from service_accounts where org_id = :org_id and deleted_at is null
   order by name`,
)

export function listAccounts(db: Database, org_id: string): Promise<AccountRow[]> {
  return db.runOnce({ org_id }, list, { org_id })
}

const find = defineStatement(
  'service_accounts.get',
  { org_id: uuid, name: text },
  ACCOUNT_ROW,
  `select ${COLUMNS}
   from service_accounts where org_id = :org_id and name = :name and deleted_at is null`,
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
  ACCOUNT_ROW,
  `select ${COLUMNS}
   from service_accounts where org_id = :org_id and name = :name and deleted_at is null
   for update`,
)

/** Until the end of the transaction, nobody else can change it, delete it or create keys for it. */
export async function lockAccount(db: Db, org_id: string, name: string): Promise<AccountRow | undefined> {
  return (await db.run(lock, { org_id, name }))[0]
}

const update = defineStatement(
  'service_accounts.update',
  {
    org_id: uuid,
    service_account_id: uuid,
    display_name: text,
    privilege: text,
    description: text,
    owner_user_id: nullable(uuid),
    owner_name: nullable(text),
    keys_stop_at: nullable(time),
  },
  {},
  `update service_accounts set display_name = :display_name, privilege = :privilege, description = :description,
     owner_user_id = :owner_user_id, owner_name = :owner_name, keys_stop_at = :keys_stop_at
   where org_id = :org_id and service_account_id = :service_account_id`,
)

export async function updateAccount(
  db: Db,
  org_id: string,
  account: Pick<
    AccountRow,
    | 'service_account_id'
    | 'display_name'
    | 'privilege'
    | 'description'
    | 'owner_user_id'
    | 'owner_name'
    | 'keys_stop_at'
  >,
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

const findById = defineStatement(
  'service_accounts.by_id',
  { org_id: uuid, service_account_id: uuid },
  { owner_user_id: nullable(uuid), owner_name: nullable(text), keys_stop_at: nullable(time) },
  `select owner_user_id, owner_name, keys_stop_at from service_accounts
   where org_id = :org_id and service_account_id = :service_account_id`,
)

/** The owner of an account, and when its keys stop if the owner has left. */
export async function findOwnership(db: Db, org_id: string, service_account_id: string) {
  return (await db.run(findById, { org_id, service_account_id }))[0]
}
