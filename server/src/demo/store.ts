// The SQL of the demo.
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

// The oldest active user, usually the one created at the first start.
const firstUser = defineStatement(
  'demo.first_user',
  {},
  { name: text },
  'select name from users where deactivated_at is null order by created_at, user_id limit 1',
)

export async function findFirstUser(db: Db): Promise<string | undefined> {
  return (await db.run(firstUser, {}))[0]?.name
}
