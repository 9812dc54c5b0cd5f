// The moment somebody is in: a session with a secret that nobody has seen before, and the end of the one the browser had.
import type { Deps } from '../api/operation.ts'
import { insertSession } from '../api/sessions/store.ts'
import type { Db } from '../db/database.ts'
import { hashSecret, kindOfToken } from '../lib/secrets.ts'
import { ABSOLUTE_MS } from '../lib/session-token.ts'
import { endPresentedSession } from './store.ts'

const MAX_USER_AGENT = 512

/** The browser in which somebody signs in, as its request shows it. */
export interface Visitor {
  /** What ties a sign-in to the browser that began it; undefined when it has none yet. */
  browser: string | undefined
  /** The session it came with. */
  session_secret: string | undefined
  user_agent: string
  address: string
}

export interface Entered {
  user_id: string
  /** Goes into the cookie and nowhere else. */
  session_secret: string
  next_path: string
  /** Whose session the browser had before. */
  left_user_id: string | undefined
}

/** Call it in the transaction that proves who it is, in the scope of signing in. */
export async function enter(
  tx: Db,
  { ids, secrets }: Pick<Deps, 'ids' | 'secrets'>,
  visitor: Visitor,
  who: { user_id: string; method: 'sso' | 'link' | 'first-run'; next_path: string; now: Date },
): Promise<Entered> {
  const { user_id, method, next_path, now } = who
  const { key: session_secret, secret_hash } = secrets.newApiKey('ses')
  const left_user_id = await leave(tx, visitor.session_secret, now)
  await insertSession(tx, {
    session_id: ids.next(),
    user_id,
    secret_hash,
    method,
    user_agent: visitor.user_agent.slice(0, MAX_USER_AGENT),
    browser_hash: visitor.browser === undefined ? null : hashSecret(visitor.browser),
    now,
    expires_at: new Date(now.getTime() + ABSOLUTE_MS),
  })
  return { user_id, session_secret, next_path, left_user_id }
}

async function leave(tx: Db, secret: string | undefined, now: Date): Promise<string | undefined> {
  if (secret === undefined || kindOfToken(secret) !== 'ses') return undefined
  return endPresentedSession(tx, hashSecret(secret), now)
}
