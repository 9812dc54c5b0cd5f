// Every statement about sessions.
import { type Database, type Db, makeStep, type Step } from '../../db/database.ts'
import { bool, defineStatement, json, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'
import type { OwnQuotas } from '../../domain/quotas.ts'
import type { SignInMethod } from '../../domain/single-sign-on.ts'

const findBySecret = defineStatement(
  'sessions.find_by_secret',
  { secret_hash: text, org_name: nullable(text) },
  {
    session_id: uuid,
    user_id: uuid,
    user_name: text,
    method: text,
    created_at: time,
    last_seen_at: time,
    expires_at: time,
    default_org_name: nullable(text),
    org_id: nullable(uuid),
    org_name: nullable(text),
    role: nullable(text),
    features: nullable(json<Record<string, boolean>>()),
    settings: nullable(json<OrgSettings>()),
    quotas: nullable(json<OwnQuotas>()),
    sponsor: nullable(text),
  },
  `select s.session_id, s.user_id, u.name as user_name, s.method, s.created_at, s.last_seen_at, s.expires_at,
     home.name as default_org_name, o.org_id, o.name as org_name, m.role, o.features, o.settings, o.quotas,
     o.sponsor
   from sessions s
   join users u on u.user_id = s.user_id and u.deactivated_at is null
   left join orgs home on home.org_id = u.default_org_id
   left join orgs o on o.name = :org_name::text and o.delete_requested_at is null
   left join memberships m on m.org_id = o.org_id and m.user_id = s.user_id
   where s.secret_hash = decode(:secret_hash, 'hex') and s.ended_at is null`,
)

export type SessionHolder = RowOf<typeof findBySecret>

/** The person signed in with a secret, and their role in the named org, in one round trip. */
export async function findSession(
  db: Database,
  secret_hash: string,
  org_name: string | null,
): Promise<SessionHolder | undefined> {
  const [holder] = await db.read({ key_hash: secret_hash }, findBySecret, { secret_hash, org_name })
  return holder
}

/** The same within a transaction. */
export function makeSessionStep(secret_hash: string, org_name: string | null): Step {
  return makeStep(findBySecret, { secret_hash, org_name })
}

const touch = defineStatement(
  'sessions.touch',
  { secret_hash: text, now: time },
  {},
  `update sessions set last_seen_at = greatest(last_seen_at, :now)
   where secret_hash = decode(:secret_hash, 'hex') and ended_at is null`,
)

export async function touchSession(db: Database, secret_hash: string, now: Date): Promise<void> {
  await db.runOnce({ key_hash: secret_hash }, touch, { secret_hash, now })
}

export interface NewSession {
  session_id: string
  user_id: string
  secret_hash: string
  method: SignInMethod
  user_agent: string
  /** Recognizes the browser when it requests a sign-in link. */
  browser_hash: string | null
  /** The IP address of the sign-in. */
  address: string | null
  now: Date
  expires_at: Date
}

const insert = defineStatement(
  'sessions.insert',
  {
    session_id: uuid,
    user_id: uuid,
    secret_hash: text,
    method: text,
    user_agent: text,
    browser_hash: nullable(text),
    address: nullable(text),
    now: time,
    expires_at: time,
  },
  {},
  `insert into sessions (session_id, user_id, secret_hash, method, user_agent, browser_hash, address, created_at,
     last_seen_at, expires_at)
   values (:session_id, :user_id, decode(:secret_hash, 'hex'), :method, :user_agent, decode(:browser_hash, 'hex'),
     :address, :now, :now, :expires_at)`,
)

/** Call it in the sign-in scope. */
export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await db.run(insert, { ...session })
}

const ofUser = defineStatement(
  'sessions.of_user',
  { user_id: uuid, now: time, idle_since: time, created_since: time },
  {
    session_id: uuid,
    method: text,
    user_agent: text,
    address: nullable(text),
    created_at: time,
    last_seen_at: time,
    expires_at: time,
  },
  `select session_id, method, user_agent, address, created_at, last_seen_at, expires_at from sessions
   where user_id = :user_id and ended_at is null and expires_at > :now and last_seen_at > :idle_since
     and created_at > :created_since
   order by created_at desc`,
)

export type OwnSession = RowOf<typeof ofUser>

/** The sessions that are still valid, newest first. */
export function listActiveSessions(
  db: Database,
  filter: { user_id: string; now: Date; idle_since: Date; created_since: Date },
) {
  return db.runOnce({ user_id: filter.user_id }, ofUser, filter)
}

const end = defineStatement(
  'sessions.end',
  { user_id: uuid, session_id: uuid, now: time },
  { ended: bool },
  `update sessions set ended_at = :now
   where user_id = :user_id and session_id = :session_id and ended_at is null
   returning true as ended`,
)

/** False if it had already ended, or belongs to another user. */
export async function endSession(
  db: Db,
  session: { user_id: string; session_id: string; now: Date },
): Promise<boolean> {
  return (await db.run(end, session)).length > 0
}

const endOthers = defineStatement(
  'sessions.end_others',
  { user_id: uuid, session_id: nullable(uuid), now: time },
  { ended: bool },
  `update sessions set ended_at = :now
   where user_id = :user_id and session_id is distinct from :session_id::uuid and ended_at is null
   returning true as ended`,
)

/** Ends all sessions except `session_id`, if that is set. Returns how many were ended. */
export async function endOtherSessions(
  db: Db,
  except: { user_id: string; session_id: string | null; now: Date },
): Promise<number> {
  return (await db.run(endOthers, except)).length
}
