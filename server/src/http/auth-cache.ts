// The auth cache: keeps identified callers for a few seconds, so that a busy pipeline's requests cost no extra query.
import type { Caller, CallerOrg } from '../api/operation.ts'
import type { Clock } from '../lib/clock.ts'
import type { WorkCounters } from '../lib/work-counters.ts'

/** A revoked key may work for at most 5 s (docs/spec.md); the rest is a margin for slow responses. */
const CACHE_MS = 3_000
const MAX_CACHED = 10_000
const TOUCH_EVERY_MS = 60_000

export interface Identity {
  caller: Caller
  /** Undefined if the path has no organization or the caller is not a member of it: both look the same from outside. */
  org: CallerOrg | undefined
  /** The organization of the path, if it requires single sign-on and therefore blocks this member's session. */
  sso_required_by?: string
}

export interface CachedCaller {
  identity: Identity
  /** When the credential itself expires. */
  ends_at: Date | null
  /** The person whose role limits the caller's: the owner of a service account. */
  owner_id: string | null
  /** Records that the credential was used, and from where. */
  touch(address: string): Promise<void>
}

type Find = () => Promise<CachedCaller | undefined>

export interface AuthCache {
  getOrFind(entry: string, find: Find): Promise<CachedCaller | undefined>
  /** Bypasses the cache. */
  findAgain(entry: string, find: Find): Promise<CachedCaller | undefined>
  /**
   * Writes at most once a minute, after the response is known and outside its transaction, so that no request waits
   * for it.
   */
  touch(known: CachedCaller, address: string): void
  /** Forgets a caller with the service accounts that they own, or everyone who was identified in an organization. */
  forget(caller_or_org_id: string): void
  forgetAll(): void
}

export function makeAuthCache(
  clock: Clock,
  work: WorkCounters,
  onTouchError: (error: unknown) => void,
): AuthCache {
  const cached = new Map<string, { known: CachedCaller; until_ms: number }>()
  const touched_at_ms = new Map<string, number>()
  let evictions = 0
  const findAgain: AuthCache['findAgain'] = async (entry, find) => {
    const now_ms = clock.monotonic_ms()
    const evictions_before = evictions
    work.auth_cache_misses += 1
    const known = await find()
    // Only valid credentials are cached: a flood of made-up keys must not evict real ones.
    if (cached.size >= MAX_CACHED) cached.clear()
    // A caller found while an entry was being evicted may already be outdated.
    const isCurrent = evictions === evictions_before
    if (known && isCurrent) cached.set(entry, { known, until_ms: now_ms + CACHE_MS })
    else cached.delete(entry)
    return known
  }
  return {
    findAgain,
    getOrFind: async (entry, find) => {
      const kept = cached.get(entry)
      if (!kept || kept.until_ms <= clock.monotonic_ms()) return findAgain(entry, find)
      work.auth_cache_hits += 1
      return kept.known
    },
    touch: (known, address) => {
      const { key_id } = known.identity.caller
      const now_ms = clock.monotonic_ms()
      if (now_ms - (touched_at_ms.get(key_id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
      if (touched_at_ms.size >= MAX_CACHED) touched_at_ms.clear()
      touched_at_ms.set(key_id, now_ms)
      known.touch(address).catch(onTouchError)
    },
    forget: id => {
      evictions += 1
      for (const [entry, { known }] of cached) {
        const { caller, org } = known.identity
        if (caller.id === id || known.owner_id === id || org?.org_id === id) cached.delete(entry)
      }
    },
    forgetAll: () => {
      evictions += 1
      cached.clear()
    },
  }
}
