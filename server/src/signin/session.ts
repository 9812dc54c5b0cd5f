// Starts a session: with a fresh secret, and ending the previous session of the browser.
import type { Deps } from '../api/operation.ts'
import { insertSession } from '../api/sessions/store.ts'
import type { Db } from '../db/database.ts'
import type { SignInMethod } from '../domain/single-sign-on.ts'
import { recordEvent } from '../events/record.ts'
import { hashSecret, parseTokenKind } from '../lib/secrets.ts'
import { endPresentedSession, listBreakGlassOrgs, lockPerson, type Person } from './store.ts'

const MAX_USER_AGENT = 512

/** The browser that signs in, as its request identifies it. */
export interface Visitor {
  /** Binds a sign-in to the browser that started it; undefined if it has none yet. */
  browser: string | undefined
  /** The previous session. */
  session_secret: string | undefined
  user_agent: string
  address: string
  request_id: string
}

export interface StartedSession {
  user_id: string
  /** Sent in the cookie and nowhere else. */
  session_secret: string
  next_path: string
  /** The user of the browser's previous session. */
  left_user_id: string | undefined
  /** Signed in without the required single sign-on. */
  is_break_glass: boolean
}

export type SessionDeps = Pick<Deps, 'ids' | 'secrets' | 'sso' | 'session_limits'>

/**
 * Call it in the transaction that identifies the person, in the scope of sign-in. Undefined if they were deactivated
 * meanwhile: concurrent changes of the person wait for each other.
 */
export async function startSession(
  tx: Db,
  deps: SessionDeps,
  visitor: Visitor,
  who: { user_id: string; method: SignInMethod; next_path: string; now: Date },
): Promise<StartedSession | undefined> {
  const { ids, secrets, session_limits } = deps
  const { user_id, method, next_path, now } = who
  const person = await lockPerson(tx, user_id)
  if (!person) return undefined
  const { key: session_secret, secret_hash } = secrets.createToken('ses')
  const left_user_id = await endPreviousSession(tx, visitor.session_secret, now)
  await insertSession(tx, {
    session_id: ids.next(),
    user_id,
    secret_hash,
    method,
    user_agent: visitor.user_agent.slice(0, MAX_USER_AGENT),
    browser_hash: visitor.browser === undefined ? null : hashSecret(visitor.browser),
    address: visitor.address,
    now,
    expires_at: new Date(now.getTime() + session_limits.max_ms),
  })
  await recordSignIn(tx, deps, visitor, { ...person, method, now })
  const is_break_glass = await recordBreakGlass(tx, deps, visitor, { ...person, method, now })
  return { user_id, session_secret, next_path, left_user_id, is_break_glass }
}

/** In the personal organization: other organizations must not see where a person signs in from. */
async function recordSignIn(
  tx: Db,
  { ids }: SessionDeps,
  { address, request_id }: Visitor,
  { user_id, name, home_org_id, method, now }: Person & { method: SignInMethod; now: Date },
): Promise<void> {
  if (home_org_id === null) return
  const context = { now, request_id, org: { org_id: home_org_id }, caller: { name } }
  await recordEvent(tx, context, ids, {
    kind: 'signed_in',
    data: { user: name, method, address },
    about: { person: user_id },
  })
}

/** Recorded in the organizations that require single sign-on, and in the personal one if the installation does. */
async function recordBreakGlass(
  tx: Db,
  { ids, sso }: SessionDeps,
  { address, request_id }: Visitor,
  { user_id, name, home_org_id, method, now }: Person & { method: SignInMethod; now: Date },
): Promise<boolean> {
  if (method === 'sso') return false
  const orgs = (await listBreakGlassOrgs(tx, { user_id, name })).map(({ org_id }) => org_id)
  if (sso.required && home_org_id !== null) orgs.push(home_org_id)
  for (const org_id of orgs) {
    const context = { now, request_id, org: { org_id }, caller: { name } }
    const data = { user: name, method, address }
    await recordEvent(tx, context, ids, { kind: 'break_glass_sign_in', data, about: { person: user_id } })
  }
  return sso.required || orgs.length > 0
}

async function endPreviousSession(
  tx: Db,
  secret: string | undefined,
  now: Date,
): Promise<string | undefined> {
  if (secret === undefined || parseTokenKind(secret) !== 'ses') return undefined
  return endPresentedSession(tx, hashSecret(secret), now)
}
