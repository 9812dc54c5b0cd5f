// The statements that find the admins of an organization, and its name.
import type { Db } from '../db/database.ts'
import { defineStatement, text, uuid } from '../db/statement.ts'

const admins = defineStatement(
  'notify.admin_emails',
  { org_id: uuid },
  { email: text },
  `select coalesce(u.email, '') as email from memberships m
   join users u on u.user_id = m.user_id
   where m.org_id = :org_id and m.role = 'admin' and u.email is not null and u.deactivated_at is null
   order by u.email`,
)

/** The addresses of admins who have one. */
export async function listAdminEmails(db: Db, org_id: string): Promise<string[]> {
  return (await db.run(admins, { org_id })).map(({ email }) => email)
}

const org = defineStatement(
  'notify.org_name',
  { org_id: uuid },
  { name: text },
  'select o.name from orgs o where o.org_id = :org_id',
)

export async function findOrgName(db: Db, org_id: string): Promise<string | undefined> {
  return (await db.run(org, { org_id }))[0]?.name
}
