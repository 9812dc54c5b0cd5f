// The statements about the people behind provisioned users. They run in the scope of the organization and of sign-in:
// a mail address belongs to one person across all organizations, and only in that scope is its owner visible.
import { computed, toSelectList } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { bool, defineStatement, nullable, type RowOf, text, texts, time, uuid } from '../db/statement.ts'

const PERSON = {
  user_id: uuid,
  name: text,
  email: nullable(text),
  role: computed(
    nullable(text),
    'select m.role from memberships m where m.org_id = :org_id and m.user_id = u.user_id',
  ),
  is_provisioned_here: computed(
    bool,
    'exists (select from scim_users s where s.org_id = :org_id and s.user_id = u.user_id)',
  ),
}

const byEmail = defineStatement(
  'scim_people.by_email',
  { org_id: uuid, email: text },
  PERSON,
  `select ${toSelectList('u', PERSON)} from users u where u.email_key = lower(:email)`,
)

export type Person = RowOf<typeof byEmail>

export async function findPersonByEmail(db: Db, org_id: string, email: string): Promise<Person | undefined> {
  return (await db.run(byEmail, { org_id, email }))[0]
}

const byId = defineStatement(
  'scim_people.by_id',
  { org_id: uuid, user_id: uuid },
  PERSON,
  `select ${toSelectList('u', PERSON)} from users u where u.user_id = :user_id`,
)

export async function findPersonById(db: Db, org_id: string, user_id: string): Promise<Person | undefined> {
  return (await db.run(byId, { org_id, user_id }))[0]
}

const lock = defineStatement(
  'scim_people.lock',
  { user_id: uuid },
  { user_id: uuid },
  'select user_id from users where user_id = :user_id for no key update',
)

/** Read after the lock, so it includes concurrent changes. */
export async function lockPerson(db: Db, org_id: string, user_id: string): Promise<Person | undefined> {
  await db.run(lock, { user_id })
  return findPersonById(db, org_id, user_id)
}

const freeName = defineStatement(
  'scim_people.first_free_name',
  { names: texts },
  { name: text },
  `select n.name from unnest(:names::text[]) with ordinality n (name, place)
   cross join lateral (select lower(n.name) as key offset 0) folded
   where not exists (select from users u where u.name_key = folded.key)
     and not exists (select from orgs o where o.name_key = folded.key)
   order by n.place limit 1`,
)

/** The first name that is neither a user nor an organization. */
export async function findFreeName(db: Db, names: string[]): Promise<string | undefined> {
  return (await db.run(freeName, { names }))[0]?.name
}

export interface NewPerson {
  user_id: string
  name: string
  email: string | null
  display_name: string | null
  now: Date
}

const insert = defineStatement(
  'scim_people.insert_or_keep',
  { user_id: uuid, name: text, email: nullable(text), display_name: nullable(text), now: time },
  { user_id: uuid },
  `insert into users (user_id, name, email, display_name, created_at)
   values (:user_id, :name, :email, :display_name, :now)
   on conflict do nothing
   returning user_id`,
)

/** False if the name or the mail address is already used. */
export async function insertPerson(db: Db, person: NewPerson): Promise<boolean> {
  return (await db.run(insert, { ...person })).length > 0
}
