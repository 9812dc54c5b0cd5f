// The statements of signing in: links, attempts at an identity provider, and what a signed-in browser is told. All but the
// last run in the scope of signing in.
import type { Database, Db } from '../db/database.ts'
import { bool, int, json, nullable, type RowOf, statement, text, time, uuid } from '../db/statement.ts'

const addressee = statement(
  'signin.find_addressee',
  { email: text },
  { user_id: uuid, email: nullable(text), org_id: nullable(uuid) },
  `select u.user_id, u.email,
     (select m.org_id from memberships m join orgs o on o.org_id = m.org_id
      where m.user_id = u.user_id order by o.kind, m.created_at limit 1) as org_id
   from users u
   where u.email_key = lower(:email) and u.deactivated_at is null`,
)

export type Addressee = RowOf<typeof addressee>

/** Who may be sent a link to this address, with an org of theirs, the personal one first. */
export async function findAddressee(db: Database, email: string): Promise<Addressee | undefined> {
  return (await db.once({ signin: true }, addressee, { email }))[0]
}

const holdUser = statement(
  'signin.hold_user',
  { user_id: uuid },
  { user_id: uuid },
  'select user_id from users where user_id = :user_id and deactivated_at is null for no key update',
)

/** Requests for links to the same person go one after the other. */
export async function holdAddressee(db: Db, user_id: string): Promise<void> {
  await db.run(holdUser, { user_id })
}

const insertMailedLink = statement(
  'signin.insert_mailed_link',
  {
    token_hash: text,
    user_id: uuid,
    browser_hash: text,
    next_path: text,
    now: time,
    expires_at: time,
    same_since: time,
    most_since: time,
    most: int,
  },
  { made: bool },
  `insert into sign_in_links (token_hash, user_id, browser_hash, method, next_path, created_at, expires_at)
   select decode(:token_hash, 'hex'), u.user_id, decode(:browser_hash, 'hex'), 'link', :next_path, :now, :expires_at
   from users u
   where u.user_id = :user_id and u.deactivated_at is null
     and not exists (
       select from sign_in_links l
       where l.user_id = u.user_id and l.browser_hash = decode(:browser_hash, 'hex') and l.redeemed_at is null
         and l.created_at > :same_since
     )
     and (
       select count(*) from sign_in_links l where l.user_id = u.user_id and l.created_at > :most_since
     ) < :most::int
   returning true as made`,
)

export interface MailedLink {
  token_hash: string
  user_id: string
  browser_hash: string
  next_path: string
  now: Date
  expires_at: Date
  /** Asked again by the same browser since then: the mail that is on its way will do. */
  same_since: Date
  most_since: Date
  most: number
}

/** False when no mail is to be sent. Hold the addressee before. */
export async function saveMailedLink(db: Db, link: MailedLink): Promise<boolean> {
  return (await db.run(insertMailedLink, { ...link })).length > 0
}

const insertHandedLink = statement(
  'signin.insert_handed_link',
  { token_hash: text, user_id: uuid, now: time, expires_at: time },
  {},
  `insert into sign_in_links (token_hash, user_id, method, next_path, created_at, expires_at)
   values (decode(:token_hash, 'hex'), :user_id, 'first-run', '/', :now, :expires_at)`,
)

/** A link that is printed and not mailed: good in any browser. */
export async function saveHandedLink(
  db: Db,
  link: { token_hash: string; user_id: string; now: Date; expires_at: Date },
): Promise<void> {
  await db.run(insertHandedLink, link)
}

const firstSignIn = statement(
  'signin.awaits_first',
  { now: time },
  { awaits: bool },
  `select not exists (select from sessions)
     and exists (
       select from sign_in_links where method = 'first-run' and redeemed_at is null and expires_at > :now
     ) as awaits`,
)

/** Nobody has come in yet, and the link of the first start still works. */
export async function awaitsFirstSignIn(db: Database, now: Date): Promise<boolean> {
  return (await db.once({ signin: true }, firstSignIn, { now }))[0]?.awaits === true
}

const redeem = statement(
  'signin.redeem_link',
  { token_hash: text, browser_hash: nullable(text), now: time },
  { user_id: uuid, method: text, next_path: text },
  `update sign_in_links l set redeemed_at = :now
   from users u
   where l.token_hash = decode(:token_hash, 'hex') and l.redeemed_at is null and l.expires_at > :now
     and (l.browser_hash is null or l.browser_hash = decode(:browser_hash, 'hex'))
     and u.user_id = l.user_id and u.deactivated_at is null
   returning l.user_id, l.method, l.next_path`,
)

export type RedeemedLink = RowOf<typeof redeem>

/** Whoever comes first has it; undefined for everybody else, and for every other reason. */
export async function takeLink(
  db: Db,
  link: { token_hash: string; browser_hash: string | null; now: Date },
): Promise<RedeemedLink | undefined> {
  return (await db.run(redeem, link))[0]
}

const insertAttempt = statement(
  'signin.insert_attempt',
  {
    state_hash: text,
    browser_hash: text,
    provider: text,
    sealed: text,
    next_path: text,
    now: time,
    expires_at: time,
  },
  {},
  `with nobody_came_back as (
     delete from sign_in_attempts where state_hash in (
       select state_hash from sign_in_attempts where expires_at <= :now limit 10
     )
   )
   insert into sign_in_attempts (state_hash, browser_hash, provider, sealed, next_path, created_at, expires_at)
   values (decode(:state_hash, 'hex'), decode(:browser_hash, 'hex'), :provider, :sealed, :next_path, :now, :expires_at)`,
)

export interface Attempt {
  state_hash: string
  browser_hash: string
  provider: string
  sealed: string
  next_path: string
  now: Date
  expires_at: Date
}

/** Each one that comes takes some old ones away, so that they do not pile up. */
export async function saveAttempt(db: Db, attempt: Attempt): Promise<void> {
  await db.run(insertAttempt, { ...attempt })
}

const take = statement(
  'signin.take_attempt',
  { state_hash: text, browser_hash: text, provider: text, now: time },
  { sealed: text, next_path: text },
  `delete from sign_in_attempts
   where state_hash = decode(:state_hash, 'hex') and browser_hash = decode(:browser_hash, 'hex')
     and provider = :provider and expires_at > :now
   returning sealed, next_path`,
)

/** Once, and only for the browser that began it at the same provider. */
export async function takeAttempt(
  db: Db,
  attempt: { state_hash: string; browser_hash: string; provider: string; now: Date },
): Promise<{ sealed: string; next_path: string } | undefined> {
  return (await db.run(take, attempt))[0]
}

const endPresented = statement(
  'signin.end_presented_session',
  { secret_hash: text, now: time },
  { user_id: uuid },
  `update sessions set ended_at = :now
   where secret_hash = decode(:secret_hash, 'hex') and ended_at is null
   returning user_id`,
)

/** The session that a browser had before it signed in again; says whose it was. */
export async function endPresentedSession(
  db: Db,
  secret_hash: string,
  now: Date,
): Promise<string | undefined> {
  return (await db.run(endPresented, { secret_hash, now }))[0]?.user_id
}

export interface OwnOrg {
  name: string
  role: string
}

const overview = statement(
  'signin.session_overview',
  { user_id: uuid, session_id: uuid },
  {
    user: text,
    display_name: nullable(text),
    last_seen_at: time,
    expires_at: time,
    orgs: json<OwnOrg[]>(),
    is_admin: bool,
  },
  `select u.name as user, u.display_name, s.last_seen_at, s.expires_at,
     coalesce((
       select json_agg(json_build_object('name', o.name, 'role', m.role) order by o.name)
       from memberships m join orgs o on o.org_id = m.org_id
       where m.user_id = u.user_id and o.delete_requested_at is null
     ), '[]'::json) as orgs,
     exists (
       select from memberships m join orgs o on o.org_id = m.org_id
       where m.user_id = u.user_id and m.role = 'admin' and o.kind = 'shared' and o.delete_requested_at is null
     ) as is_admin
   from sessions s join users u on u.user_id = s.user_id
   where s.user_id = :user_id and s.session_id = :session_id`,
)

export type SessionOverview = RowOf<typeof overview>

/** What the web app needs to know first. */
export async function sessionOverview(
  db: Database,
  session: { user_id: string; session_id: string },
): Promise<SessionOverview | undefined> {
  return (await db.once({ user_id: session.user_id }, overview, session))[0]
}
