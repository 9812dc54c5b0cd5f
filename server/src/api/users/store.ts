// Every statement about users.
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'

const setDefault = defineStatement(
  'users.set_default_org',
  { org_id: uuid, user_id: uuid },
  {},
  'update users set default_org_id = :org_id where user_id = :user_id',
)

export async function setDefaultOrg(db: Database, org_id: string, user_id: string): Promise<void> {
  await db.runOnce({ org_id }, setDefault, { org_id, user_id })
}

const changeTimeZone = defineStatement(
  'users.set_time_zone',
  { user_id: uuid, time_zone: text },
  {},
  'update users set time_zone = :time_zone where user_id = :user_id',
)

export async function setTimeZone(db: Database, user_id: string, time_zone: string): Promise<void> {
  await db.runOnce({ user_id }, changeTimeZone, { user_id, time_zone })
}

const insert = defineStatement(
  'users.insert_or_keep',
  { user_id: uuid, name: text, email: nullable(text), now: time },
  { user_id: uuid },
  `insert into users (user_id, name, email, created_at) values (:user_id, :name, :email, :now)
   on conflict (name) do nothing
   returning user_id`,
)

const find = defineStatement(
  'users.find',
  { name: text },
  { user_id: uuid, email: nullable(text) },
  'select user_id, email from users where name = :name',
)

export type UserRow = RowOf<typeof find>

export async function findUser(db: Db, name: string): Promise<UserRow | undefined> {
  return (await db.run(find, { name }))[0]
}

/** True if the user is new. */
export async function insertUser(
  db: Db,
  user: { user_id: string; name: string; email: string | null; now: Date },
): Promise<boolean> {
  return (await db.run(insert, user)).length > 0
}

const setEmail = defineStatement(
  'users.set_email',
  { user_id: uuid, email: text },
  {},
  'update users set email = :email, email_proved_at = null where user_id = :user_id',
)

export async function setUserEmail(db: Db, user_id: string, email: string): Promise<void> {
  await db.run(setEmail, { user_id, email })
}

const anyUser = defineStatement('users.any', {}, { user_id: uuid }, 'select user_id from users limit 1')

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.run(anyUser, {})).length > 0
}

const lock = defineStatement(
  'users.lock',
  { user_id: uuid },
  {},
  'select from users where user_id = :user_id for no key update',
)

/** Until the end of the transaction nobody else changes the person. */
export async function lockUser(db: Db, user_id: string): Promise<void> {
  await db.run(lock, { user_id })
}
