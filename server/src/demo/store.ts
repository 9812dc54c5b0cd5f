// The two questions that the demo asks before it begins.
import type { Db } from '../db/database.ts'
import { bool, statement, text } from '../db/statement.ts'

const there = statement(
  'demo.is_there',
  { name: text },
  { is_there: bool },
  'select exists (select from orgs where name = :name) as is_there',
)

export async function isThere(db: Db, name: string): Promise<boolean> {
  return (await db.run(there, { name }))[0]?.is_there ?? false
}

// Whoever came first, which is whom the first start made, unless somebody had other plans.
const firstUser = statement(
  'demo.first_user',
  {},
  { name: text },
  'select name from users where deactivated_at is null order by created_at, user_id limit 1',
)

export async function someAdmin(db: Db): Promise<string | undefined> {
  return (await db.run(firstUser, {}))[0]?.name
}
