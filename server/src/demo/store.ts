// The questions that the demo asks of the database itself.
import type { Db } from '../db/database.ts'
import { defineStatement, text, uuid } from '../db/statement.ts'

const orgByName = defineStatement(
  'demo.find_org',
  { name: text },
  { org_id: uuid },
  'select org_id from orgs where name = :name',
)

export async function findOrgId(db: Db, name: string): Promise<string | undefined> {
  return (await db.run(orgByName, { name }))[0]?.org_id
}

// Whoever came first, which is whom the first start made, unless somebody had other plans.
const firstUser = defineStatement(
  'demo.first_user',
  {},
  { name: text },
  'select name from users where deactivated_at is null order by created_at, user_id limit 1',
)

export async function findFirstUser(db: Db): Promise<string | undefined> {
  return (await db.run(firstUser, {}))[0]?.name
}
