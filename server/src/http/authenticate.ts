// Who calls: the bearer key, its holder, and the holder's role in the org of the path. What is found is kept for a
// few seconds, so that a busy pipeline's requests cost no extra wait; a revoked key is refused in any process within
// that time, and in this process at once.
import { findHolder, type KeyHolder, touchKey } from '../api/keys/store.ts'
import type { Caller, CallerOrg } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import { isRole } from '../domain/roles.ts'
import type { Clock } from '../lib/clock.ts'
import { unauthenticated } from '../lib/errors.ts'
import { hashSecret, recogniseToken } from '../lib/secrets.ts'

/** A revoked key may work for 5 s at most (docs/decisions.md); the rest is left for slow answers. */
const REMEMBER_MS = 3_000
const MOST_REMEMBERED = 10_000
const TOUCH_EVERY_MS = 60_000

export interface Identity {
  caller: Caller
  /** Undefined when the path has no org, or the caller is not a member of it: the two look the same outside. */
  org: CallerOrg | undefined
}

export interface Authenticator {
  identify(authorization: string | undefined, org_name: string | undefined): Promise<Identity>
  forget(caller_id: string): void
}

interface Remembered {
  holder: KeyHolder
  until_ms: number
}

export function makeAuthenticator(
  db: Database,
  clock: Clock,
  onTouchError: (error: unknown) => void,
): Authenticator {
  const remembered = new Map<string, Remembered>()
  const touched_at_ms = new Map<string, number>()

  async function holderOf(key_hash: string, org_name: string | undefined): Promise<KeyHolder | undefined> {
    const now_ms = clock.monotonic_ms()
    const entry = `${key_hash}/${org_name ?? ''}`
    const known = remembered.get(entry)
    if (known && known.until_ms > now_ms) return known.holder
    const holder = await findHolder(db, key_hash, org_name ?? null)
    // Only holders are kept: a flood of made-up keys must not push out the real ones.
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    if (holder) remembered.set(entry, { holder, until_ms: now_ms + REMEMBER_MS })
    else remembered.delete(entry)
    return holder
  }

  /** At most once a minute, after the answer is known and outside its transaction: nobody waits for it. */
  function touch(key_hash: string, holder: KeyHolder): void {
    const now_ms = clock.monotonic_ms()
    if (now_ms - (touched_at_ms.get(holder.key_id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
    if (touched_at_ms.size >= MOST_REMEMBERED) touched_at_ms.clear()
    touched_at_ms.set(holder.key_id, now_ms)
    touchKey(db, key_hash, clock.now()).catch(onTouchError)
  }

  return {
    identify: async (authorization, org_name) => {
      const key_hash = hashSecret(bearerToken(authorization))
      // PostgreSQL takes no NUL, so no org can have one in its name.
      const holder = await holderOf(key_hash, org_name?.includes('\0') ? undefined : org_name)
      if (!holder) throw unauthenticated('The API key is not valid')
      if (holder.expires_at && holder.expires_at <= clock.now())
        throw unauthenticated('The API key is not valid')
      touch(key_hash, holder)
      return { caller: callerOf(holder), org: orgOf(holder) }
    },
    forget: caller_id => {
      for (const [entry, { holder }] of remembered)
        if (holder.owner_id === caller_id) remembered.delete(entry)
    },
  }
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw unauthenticated('Authentication is required')
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined || recogniseToken(token) === 'junk')
    throw unauthenticated('The API key is not valid')
  return token
}

function callerOf(holder: KeyHolder): Caller {
  return {
    name: holder.owner_name,
    kind: holder.kind === 'user' ? 'user' : 'service_account',
    id: holder.owner_id,
    key_id: holder.key_id,
    default_org_name: holder.default_org_name,
  }
}

function orgOf({ org_id, org_name, role }: KeyHolder): CallerOrg | undefined {
  if (org_id === null || org_name === null || role === null || !isRole(role)) return undefined
  return { org_id, name: org_name, role }
}
