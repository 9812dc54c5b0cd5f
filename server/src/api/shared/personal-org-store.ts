// Finds the personal organization of a user, which records the events of their keys and sessions.
import type { Database } from '../../db/database.ts'
import { defineStatement, uuid } from '../../db/statement.ts'

const find = defineStatement(
  'personal_org.find',
  { user_id: uuid },
  { org_id: uuid },
  `select o.org_id from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and o.kind = 'personal' and o.delete_requested_at is null
   order by o.org_id limit 1`,
)

export async function findPersonalOrg(db: Database, user_id: string): Promise<string | undefined> {
  return (await db.runOnce({ user_id }, find, { user_id }))[0]?.org_id
}
