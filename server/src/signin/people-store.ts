// The statements that link a person from an identity provider to a user, or create one. They run in the scope of
// sign-in. Inserts do not ignore conflicts: the transaction that loses a race is retried and finds the winner.
import type { Db } from '../db/database.ts'
import {
  bool,
  defineStatement,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
} from '../db/statement.ts'

const identity = defineStatement(
  'signin.find_identity',
  { issuer: text, subject: text },
  { user_id: uuid, user_name: text, is_deactivated: bool, is_new: bool },
  `select u.user_id, u.name as user_name, u.deactivated_at is not null as is_deactivated,
     i.created_at = u.created_at and not exists (select from sessions s where s.user_id = u.user_id) as is_new
   from identities i join users u on u.user_id = i.user_id
   where i.issuer = :issuer and i.subject = :subject`,
)

/** `is_new`: created for this identity and never signed in. */
export type Identified = RowOf<typeof identity>

export async function findIdentity(
  db: Db,
  input: { issuer: string; subject: string },
): Promise<Identified | undefined> {
  return (await db.run(identity, input))[0]
}

const byEmail = defineStatement(
  'signin.find_user_by_email',
  { email: text, issuer: text },
  { user_id: uuid, user_name: text, is_deactivated: bool, is_known_to_issuer: bool },
  `select u.user_id, u.name as user_name, u.deactivated_at is not null as is_deactivated,
     exists (select from identities i where i.user_id = u.user_id and i.issuer = :issuer) as is_known_to_issuer
   from users u where u.email_key = lower(:email)`,
)

export type UserByEmail = RowOf<typeof byEmail>

export async function findUserByEmail(
  db: Db,
  input: { email: string; issuer: string },
): Promise<UserByEmail | undefined> {
  return (await db.run(byEmail, input))[0]
}

const release = defineStatement(
  'signin.release_address',
  { user_id: uuid, now: time },
  {},
  `with released as (update users set email = null, email_proved_at = null where user_id = :user_id returning user_id)
   update sign_in_links l set redeemed_at = :now from released r
   where l.user_id = r.user_id and l.redeemed_at is null`,
)

/**
 * Another person has proven the address: this user keeps everything else, and pending links to the address become
 * invalid.
 */
export async function releaseAddress(db: Db, of: { user_id: string; now: Date }): Promise<void> {
  await db.run(release, of)
}

const set = defineStatement(
  'signin.set_address',
  { user_id: uuid, email: text },
  {},
  'update users set email = :email, email_proved_at = null where user_id = :user_id',
)

export async function setAddress(db: Db, to: { user_id: string; email: string }): Promise<void> {
  await db.run(set, to)
}

const freeName = defineStatement(
  'signin.first_free_name',
  { names: texts },
  { name: nullable(text) },
  `select n.name from unnest(:names::text[]) with ordinality n (name, place)
   cross join lateral (select lower(n.name) as key offset 0) folded
   where not exists (select from users u where u.name_key = folded.key)
     and not exists (select from orgs o where o.name_key = folded.key)
   order by n.place limit 1`,
)

/** The first name that is neither a user nor an organization. */
export async function findFreeName(db: Db, names: string[]): Promise<string | undefined> {
  return (await db.run(freeName, { names }))[0]?.name ?? undefined
}

const insertUser = defineStatement(
  'signin.insert_user',
  { user_id: uuid, name: text, email: nullable(text), display_name: nullable(text), now: time },
  {},
  `insert into users (user_id, name, email, display_name, created_at)
   values (:user_id, :name, :email, :display_name, :now)`,
)

export interface NewUser {
  user_id: string
  name: string
  email: string | null
  display_name: string | null
  now: Date
}

export async function makeUser(db: Db, user: NewUser): Promise<void> {
  await db.run(insertUser, { ...user })
}

const insertOrg = defineStatement(
  'signin.insert_personal_org',
  { org_id: uuid, name: text, features: json<Record<string, boolean>>(), sponsor: text, now: time },
  {},
  `insert into orgs (org_id, name, kind, description, features, sponsor, created_at)
   values (:org_id, :name, 'personal', '', :features::jsonb, :sponsor, :now)`,
)

export async function makePersonalOrg(
  db: Db,
  org: { org_id: string; name: string; features: Record<string, boolean>; sponsor: string; now: Date },
): Promise<void> {
  await db.run(insertOrg, org)
}

const insertIdentity = defineStatement(
  'signin.insert_identity',
  { issuer: text, subject: text, user_id: uuid, now: time },
  {},
  `insert into identities (issuer, subject, user_id, created_at, last_seen_at)
   values (:issuer, :subject, :user_id, :now, :now)`,
)

export async function makeIdentity(
  db: Db,
  identity: { issuer: string; subject: string; user_id: string; now: Date },
): Promise<void> {
  await db.run(insertIdentity, identity)
}

const touch = defineStatement(
  'signin.touch_identity',
  { issuer: text, subject: text, now: time },
  { user_id: uuid },
  `update identities i set last_seen_at = :now
   from users u
   where i.issuer = :issuer and i.subject = :subject and u.user_id = i.user_id and u.deactivated_at is null
   returning i.user_id`,
)

/** Undefined if the person was deactivated meanwhile. */
export async function touchIdentity(
  db: Db,
  seen: { issuer: string; subject: string; now: Date },
): Promise<string | undefined> {
  return (await db.run(touch, seen))[0]?.user_id
}
