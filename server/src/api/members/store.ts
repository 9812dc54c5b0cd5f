// The statements about the members of an org. Changes are made in shared/membership.ts.
import type { Database, Db } from '../../db/database.ts'
import { nullable, type RowOf, statement, text, time, uuid } from '../../db/statement.ts'

const list = statement(
  'members.list',
  { org_id: uuid },
  {
    user: text,
    display_name: nullable(text),
    email: nullable(text),
    role: text,
    created_at: time,
    source: nullable(text),
  },
  `select u.name as "user", u.display_name, u.email, m.role, m.created_at, last.source
   from memberships m
   join users u on u.user_id = m.user_id
   left join (
     select distinct on (e.user_id) e.user_id, e.source from membership_events e
     where e.org_id = :org_id
     order by e.user_id, e.event_no desc
   ) last on last.user_id = m.user_id
   where m.org_id = :org_id
   order by u.name`,
)

export type MemberRow = RowOf<typeof list>

export function listMembers(db: Database, org_id: string): Promise<readonly MemberRow[]> {
  return db.read({ org_id }, list, { org_id })
}

const find = statement(
  'members.find',
  { org_id: uuid, user: text },
  { user_id: uuid, role: text },
  `select u.user_id, m.role from users u
   join memberships m on m.org_id = :org_id and m.user_id = u.user_id
   where u.name = :user`,
)

export async function findMember(
  db: Db,
  org_id: string,
  user: string,
): Promise<RowOf<typeof find> | undefined> {
  return (await db.run(find, { org_id, user }))[0]
}
