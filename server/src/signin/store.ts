// The statements of sign-in: links, single sign-on attempts, and the overview for a signed-in browser. All but the
// last run in the scope of sign-in.
import type { Database, Db } from '../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
} from '../db/statement.ts'
import type { SsoRule } from '../domain/single-sign-on.ts'

const addressee = defineStatement(
  'signin.find_addressee',
  { email: text },
  { user_id: uuid, name: text, email: nullable(text), org_id: nullable(uuid) },
  `select u.user_id, u.name, u.email,
     (select m.org_id from memberships m join orgs o on o.org_id = m.org_id
      where m.user_id = u.user_id order by o.kind, m.created_at limit 1) as org_id
   from users u
   where u.email_key = lower(:email) and u.deactivated_at is null`,
)

export type Addressee = RowOf<typeof addressee>

/** The user who may be sent a link to this address, with one of their organizations, the personal one first. */
export async function findAddressee(db: Database, email: string): Promise<Addressee | undefined> {
  return (await db.runOnce({ signin: true }, addressee, { email }))[0]
}

const lockUser = defineStatement(
  'signin.lock_person',
  { user_id: uuid },
  { user_id: uuid, name: text, email_key: nullable(text), home_org_id: nullable(uuid) },
  `select u.user_id, u.name, u.email_key,
     (select o.org_id from memberships m join orgs o on o.org_id = m.org_id
      where m.user_id = u.user_id and o.kind = 'personal' and o.delete_requested_at is null
      order by o.org_id limit 1) as home_org_id
   from users u
   where u.user_id = :user_id and u.deactivated_at is null for no key update of u`,
)

export type Person = RowOf<typeof lockUser>

/** Until the end of the transaction nobody can change or deactivate the person; undefined if they are deactivated. */
export async function lockPerson(db: Db, user_id: string): Promise<Person | undefined> {
  return (await db.run(lockUser, { user_id }))[0]
}

const breakingGlass = defineStatement(
  'signin.orgs_breaking_glass',
  { user_id: uuid, name: text },
  { org_id: uuid },
  `select o.org_id from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and m.role = 'admin' and o.delete_requested_at is null
     and (o.settings ->> 'sso_required')::boolean and jsonb_exists(o.settings -> 'break_glass', :name)
   order by o.org_id`,
)

/** The organizations that require single sign-on and list the person under break-glass. */
export async function listBreakGlassOrgs(
  db: Db,
  person: { user_id: string; name: string },
): Promise<{ org_id: string }[]> {
  return db.run(breakingGlass, person)
}

const insertMailedLink = defineStatement(
  'signin.insert_mailed_link',
  {
    token_hash: text,
    user_id: uuid,
    browser_hash: text,
    next_path: text,
    now: time,
    expires_at: time,
    asker: text,
    sent_to: nullable(text),
    same_since: time,
    counted_since: time,
    max_per_network: int,
    max_per_person: int,
  },
  { made: bool },
  `insert into sign_in_links (token_hash, user_id, browser_hash, asker, sent_to, method, next_path, created_at,
     expires_at)
   select decode(:token_hash, 'hex'), u.user_id, decode(:browser_hash, 'hex'),
     case when known.is_known then null else :asker end, lower(:sent_to), 'link', :next_path, :now, :expires_at
   from users u
   cross join lateral (
     select exists (
       select from sessions s where s.user_id = u.user_id and s.browser_hash = decode(:browser_hash, 'hex')
     ) or exists (
       select from sign_in_links l
       where l.user_id = u.user_id and l.created_at > :counted_since and l.opened_in = decode(:browser_hash, 'hex')
     ) as is_known
   ) known
   cross join lateral (
     select count(*) filter (where l.asker = :asker) as of_asker, count(l.asker) as of_strangers
     from sign_in_links l where l.user_id = u.user_id and l.created_at > :counted_since
   ) asked
   where u.user_id = :user_id and u.deactivated_at is null
     and not exists (
       select from sign_in_links l
       where l.user_id = u.user_id and l.browser_hash = decode(:browser_hash, 'hex') and l.redeemed_at is null
         and l.created_at > :same_since
     )
     and (known.is_known
       or (asked.of_asker < :max_per_network::int and asked.of_strangers < :max_per_person::int))
   returning true as made`,
)

export interface MailedLink {
  token_hash: string
  user_id: string
  browser_hash: string
  next_path: string
  now: Date
  expires_at: Date
  /** If the same browser has requested a link since then, the mail already sent is enough. */
  same_since: Date
  /** The network of the request. */
  asker: string
  /** The address it is mailed to. */
  sent_to: string | null
  counted_since: Date
  /**
   * These limits do not apply to a browser in which the person has signed in before, or has opened a link that was
   * mailed to them since `counted_since`: both are theirs, and strangers must not lock them out.
   */
  max_per_network: number
  max_per_person: number
}

/** False if no mail should be sent. Lock the person first. */
export async function saveMailedLink(db: Db, link: MailedLink): Promise<boolean> {
  return (await db.run(insertMailedLink, { ...link })).length > 0
}

const insertHandedLink = defineStatement(
  'signin.insert_handed_link',
  { token_hash: text, user_id: uuid, now: time, expires_at: time },
  {},
  `insert into sign_in_links (token_hash, user_id, method, next_path, created_at, expires_at)
   values (decode(:token_hash, 'hex'), :user_id, 'first-run', '/', :now, :expires_at)`,
)

/** A link that is printed and not mailed: it works in any browser. */
export async function saveHandedLink(
  db: Db,
  link: { token_hash: string; user_id: string; now: Date; expires_at: Date },
): Promise<void> {
  await db.run(insertHandedLink, link)
}

const firstSignIn = defineStatement(
  'signin.awaits_first',
  { now: time },
  { awaits: bool },
  `select not exists (select from sessions)
     and exists (
       select from sign_in_links where method = 'first-run' and redeemed_at is null and expires_at > :now
     ) as awaits`,
)

/** Whether nobody has signed in yet and the link of the first start still works. */
export async function isAwaitingFirstSignIn(db: Database, now: Date): Promise<boolean> {
  return (await db.runOnce({ signin: true }, firstSignIn, { now }))[0]?.awaits === true
}

const findByToken = defineStatement(
  'signin.find_link',
  { token_hash: text, browser_hash: nullable(text), now: time },
  { user_id: uuid, method: text, is_used: bool, is_old: bool, is_elsewhere: bool, is_readdressed: bool },
  `select l.user_id, l.method, l.redeemed_at is not null as is_used, l.expires_at <= :now as is_old,
     l.browser_hash is not null and l.browser_hash is distinct from decode(:browser_hash, 'hex') as is_elsewhere,
     l.sent_to is not null and l.sent_to is distinct from u.email_key as is_readdressed
   from sign_in_links l join users u on u.user_id = l.user_id
   where l.token_hash = decode(:token_hash, 'hex')`,
)

export type FoundLink = RowOf<typeof findByToken>

/** The owner of the link, and the problem with it. Only takeLink() decides. */
export async function findLink(
  db: Db,
  link: { token_hash: string; browser_hash: string | null; now: Date },
): Promise<FoundLink | undefined> {
  return (await db.run(findByToken, link))[0]
}

const home = defineStatement(
  'signin.find_home',
  { user_id: uuid },
  { org_id: uuid, name: text },
  `select o.org_id, u.name
   from users u join memberships m on m.user_id = u.user_id join orgs o on o.org_id = m.org_id
   where u.user_id = :user_id and o.kind = 'personal' and o.delete_requested_at is null
   order by o.org_id limit 1`,
)

/** The personal organization of a user, deactivated or not, and the user's name. */
export async function findHome(
  db: Database,
  user_id: string,
): Promise<{ org_id: string; name: string } | undefined> {
  return (await db.runOnce({ signin: true }, home, { user_id }))[0]
}

const lockAnybody = defineStatement(
  'signin.lock_for_failure',
  { user_id: uuid },
  {},
  'select from users where user_id = :user_id for no key update',
)

/** Serializes the failures of one person, so that they are counted correctly. */
export async function lockForFailure(db: Db, user_id: string): Promise<void> {
  await db.run(lockAnybody, { user_id })
}

const failures = defineStatement(
  'signin.count_failures',
  { org_id: uuid, since: time },
  { failures: count },
  `select count(*) as failures from events
   where org_id = :org_id and kind = 'sign_in_failed' and happened_at > :since`,
)

export async function countFailures(db: Db, org_id: string, since: Date): Promise<number> {
  return (await db.run(failures, { org_id, since }))[0]?.failures ?? 0
}

const redeem = defineStatement(
  'signin.redeem_link',
  { token_hash: text, browser_hash: nullable(text), now: time },
  { user_id: uuid, method: text, next_path: text },
  `update sign_in_links l set redeemed_at = :now
   from users u
   where l.token_hash = decode(:token_hash, 'hex') and l.redeemed_at is null and l.expires_at > :now
     and (l.browser_hash is null or l.browser_hash = decode(:browser_hash, 'hex'))
     and u.user_id = l.user_id and u.deactivated_at is null
     and (l.sent_to is null or l.sent_to = u.email_key)
   returning l.user_id, l.method, l.next_path`,
)

export type RedeemedLink = RowOf<typeof redeem>

/** The first caller gets it; undefined for all others, and if the link is invalid. Lock the person first. */
export async function takeLink(
  db: Db,
  link: { token_hash: string; browser_hash: string | null; now: Date },
): Promise<RedeemedLink | undefined> {
  return (await db.run(redeem, link))[0]
}

const saveOpening = defineStatement(
  'signin.save_opening',
  { token_hash: text, browser_hash: text },
  {},
  `update sign_in_links set opened_in = decode(:browser_hash, 'hex')
   where token_hash = decode(:token_hash, 'hex')`,
)

/** Opened in another browser than the one that requested it. The link goes on working in that one. */
export async function saveOpenedLink(
  db: Db,
  opened: { token_hash: string; browser_hash: string },
): Promise<void> {
  await db.run(saveOpening, opened)
}

const insertAttempt = defineStatement(
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
  `with abandoned as (
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

/** Each new attempt also deletes some expired ones, so that they do not pile up. */
export async function saveAttempt(db: Db, attempt: Attempt): Promise<void> {
  await db.run(insertAttempt, { ...attempt })
}

const take = defineStatement(
  'signin.take_attempt',
  { state_hash: text, browser_hash: text, provider: text, now: time },
  { sealed: text, next_path: text },
  `delete from sign_in_attempts
   where state_hash = decode(:state_hash, 'hex') and browser_hash = decode(:browser_hash, 'hex')
     and provider = :provider and expires_at > :now
   returning sealed, next_path`,
)

/** Works once, and only for the browser and provider that started it. */
export async function takeAttempt(
  db: Db,
  attempt: { state_hash: string; browser_hash: string; provider: string; now: Date },
): Promise<{ sealed: string; next_path: string } | undefined> {
  return (await db.run(take, attempt))[0]
}

const endPresented = defineStatement(
  'signin.end_presented_session',
  { secret_hash: text, now: time },
  { user_id: uuid },
  `update sessions set ended_at = :now
   where secret_hash = decode(:secret_hash, 'hex') and ended_at is null
   returning user_id`,
)

/** Ends the browser's previous session; returns its user. */
export async function endPresentedSession(
  db: Db,
  secret_hash: string,
  now: Date,
): Promise<string | undefined> {
  return (await db.run(endPresented, { secret_hash, now }))[0]?.user_id
}

interface OwnOrg {
  name: string
  role: string
  rule: SsoRule
}

const overview = defineStatement(
  'signin.session_overview',
  { user_id: uuid, session_id: uuid },
  {
    user: text,
    display_name: nullable(text),
    time_zone: nullable(text),
    method: text,
    created_at: time,
    last_seen_at: time,
    expires_at: time,
    orgs: json<OwnOrg[]>(),
    is_admin: bool,
  },
  `select u.name as user, u.display_name, u.time_zone, s.method, s.created_at, s.last_seen_at, s.expires_at,
     coalesce((
       select json_agg(json_build_object('name', o.name, 'role', m.role, 'rule', o.settings) order by o.name)
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

/** The data that the web app needs first. */
export async function findSessionOverview(
  db: Database,
  session: { user_id: string; session_id: string },
): Promise<SessionOverview | undefined> {
  return (await db.runOnce({ user_id: session.user_id }, overview, session))[0]
}
