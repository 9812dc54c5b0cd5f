// The statements that read the members of an organization. Changes are made in shared/membership.ts.
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
} from '../../db/statement.ts'
import type { Slice } from '../shared/page.ts'

export interface MemberFilter {
  search: string | null
  /** Only for callers who may see addresses: searching would let others guess them. */
  in_email: boolean
}

const FILTER = { search: nullable(text), in_email: bool }

const MATCHING = `
  memberships m join users u on u.user_id = m.user_id
  -- The display name from SCIM provisioning of this org comes first; other orgs do not see it.
  left join scim_users s on s.org_id = m.org_id and s.user_id = m.user_id
  where m.org_id = :org_id
    and (:search::text is null
         or position(lower(:search) in lower(u.name)) > 0
         or position(lower(:search) in lower(coalesce(s.display_name, u.display_name))) > 0
         or :in_email::boolean and position(lower(:search) in lower(u.email)) > 0)`

const list = defineStatement(
  'members.list',
  { org_id: uuid, ...FILTER, limit: nullable(int), offset: count },
  {
    user: text,
    display_name: nullable(text),
    email: nullable(text),
    role: text,
    created_at: time,
    source: nullable(text),
  },
  `select listed."user", listed.display_name, listed.email, listed.role, listed.created_at,
     (select e.source from membership_events e where e.org_id = :org_id and e.user_id = listed.user_id
      order by e.event_no desc limit 1) as source
   from (select u.user_id, u.name as "user", coalesce(s.display_name, u.display_name) as display_name, u.email, m.role, m.created_at
         from ${MATCHING}
         order by u.name limit :limit::int offset :offset::bigint) listed
   order by listed."user"`,
)

const countMatching = defineStatement(
  'members.count',
  { org_id: uuid, ...FILTER },
  { total: count },
  `select count(*) as total from ${MATCHING}`,
)

export type MemberRow = RowOf<typeof list>

/** Sorted by name. */
export function listMembers(
  db: Database,
  org_id: string,
  filter: MemberFilter,
): Promise<readonly MemberRow[]> {
  return db.read({ org_id }, list, { org_id, ...filter, limit: null, offset: 0 })
}

/** One page of members and the total count, in one round trip. */
export async function listMembersPage(db: Db, org_id: string, filter: MemberFilter, slice: Slice) {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...filter, ...slice }),
    db.run(countMatching, { org_id, ...filter }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const find = defineStatement(
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
