// What is known of callers, kept for a few seconds, so that a busy pipeline's requests cost no extra wait.
import type { Caller, CallerOrg } from '../api/operation.ts'
import type { Clock } from '../lib/clock.ts'

/** A revoked key may work for 5 s at most (docs/decisions.md); the rest is left for slow answers. */
const CACHE_MS = 3_000
const MAX_CACHED = 10_000
const TOUCH_EVERY_MS = 60_000

export interface Identity {
  caller: Caller
  /** Undefined when the path has no org, or the caller is not a member of it: the two look the same outside. */
  org: CallerOrg | undefined
  /** The org of the path, when the caller is a member whose session it keeps out. */
  sso_required_by?: string
}

export interface CachedCaller {
  identity: Identity
  /** When the credential itself ends. */
  ends_at: Date | null
  /** Stores that it was used, and from where. */
  touch(address: string): Promise<void>
}

export interface AuthCache {
  getOrFind(entry: string, find: () => Promise<CachedCaller | undefined>): Promise<CachedCaller | undefined>
  /** At most once a minute, after the answer is known and outside its transaction: nobody waits for it. */
  touch(known: CachedCaller, address: string): void
  forget(caller_id: string): void
}

export function makeAuthCache(clock: Clock, onTouchError: (error: unknown) => void): AuthCache {
  const cached = new Map<string, { known: CachedCaller; until_ms: number }>()
  const touched_at_ms = new Map<string, number>()
  let forgotten = 0
  return {
    getOrFind: async (entry, find) => {
      const now_ms = clock.monotonic_ms()
      const kept = cached.get(entry)
      if (kept && kept.until_ms > now_ms) return kept.known
      const forgotten_before = forgotten
      const known = await find()
      // Only holders are kept: a flood of made-up keys must not push out the real ones.
      if (cached.size >= MAX_CACHED) cached.clear()
      // What was found while somebody was being forgotten may be what is to be forgotten.
      const isCurrent = forgotten === forgotten_before
      if (known && isCurrent) cached.set(entry, { known, until_ms: now_ms + CACHE_MS })
      else cached.delete(entry)
      return known
    },
    touch: (known, address) => {
      const { key_id } = known.identity.caller
      const now_ms = clock.monotonic_ms()
      if (now_ms - (touched_at_ms.get(key_id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
      if (touched_at_ms.size >= MAX_CACHED) touched_at_ms.clear()
      touched_at_ms.set(key_id, now_ms)
      known.touch(address).catch(onTouchError)
    },
    forget: caller_id => {
      forgotten += 1
      for (const [entry, { known }] of cached)
        if (known.identity.caller.id === caller_id) cached.delete(entry)
    },
  }
}
