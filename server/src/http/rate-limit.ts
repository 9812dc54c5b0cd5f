// A token bucket per key, per network for callers without a key, and per organization with a quota: a burst of one
// period's worth, refilled evenly. Sign-in, the exchange of CI tokens, keys and anonymous callers have separate
// buckets, so that a flood of one kind does not stop the others. Buckets are in memory: each process allows the whole
// rate.

import { toNetwork } from '@waybill/egress'
import type { Clock } from '../lib/clock.ts'
import { tooManyRequests } from '../lib/errors.ts'
import { putNewest } from '../lib/put-newest.ts'
import type { RateLimit, RateLimits, Traffic } from '../settings/rate-limits.ts'

const MAX_BUCKETS = 50_000

interface Bucket {
  tokens: number
  filled_at_ms: number
}

export interface RateLimiter {
  /** Seconds to wait, or 0 if the request may proceed. */
  take(key: string, now_ms: number): number
}

export type RateLimiters = Readonly<Record<Traffic, RateLimiter>>

export function makeRateLimiters(limits: RateLimits): RateLimiters {
  return {
    keys: makeRateLimiter(limits.keys),
    anonymous: makeRateLimiter(limits.anonymous),
    sign_in: makeRateLimiter(limits.sign_in),
    exchange: makeRateLimiter(limits.exchange),
  }
}

/** The bucket that a request counts against: its API key's or its network's. */
export type Counted = { key_id: string } | { address: string; traffic: Exclude<Traffic, 'keys'> }

/** Throws 429 if there are too many. */
export function countRequest(
  { limiters, clock }: { limiters: RateLimiters; clock: Clock },
  counted: Counted,
): void {
  const now_ms = clock.monotonic_ms()
  const wait_s =
    'key_id' in counted
      ? limiters.keys.take(counted.key_id, now_ms)
      : limiters[counted.traffic].take(toNetwork(counted.address), now_ms)
  if (wait_s > 0) throw tooManyRequests(wait_s)
}

export function makeRateLimiter(limit: RateLimit | undefined): RateLimiter {
  if (!limit) return { take: () => 0 }
  const buckets = makeBuckets()
  return { take: (key, now_ms) => buckets.take(key, limit, now_ms) }
}

interface LimitedOrg {
  org_id: string
  quotas: { requests_per_second: number | null }
}

export interface OrgLimiter {
  /** Seconds to wait, or 0 if the request may proceed. */
  take(org: LimitedOrg): number
  /** How much of the current second's quota is used; null without a quota. */
  used(org: LimitedOrg): number | null
}

export function makeOrgLimiter(clock: Clock): OrgLimiter {
  const buckets = makeBuckets()
  return {
    take: ({ org_id, quotas: { requests_per_second: requests } }) =>
      requests === null ? 0 : buckets.take(org_id, { requests, per_seconds: 1 }, clock.monotonic_ms()),
    used: ({ org_id, quotas: { requests_per_second: requests } }) =>
      requests === null
        ? null
        : Math.ceil(buckets.used(org_id, { requests, per_seconds: 1 }, clock.monotonic_ms())),
  }
}

/** A key's limit may change from one request to the next. */
function makeBuckets() {
  const buckets = new Map<string, Bucket>()
  const refill = (key: string, { requests, per_seconds }: RateLimit, now_ms: number): Bucket => {
    const { tokens, filled_at_ms } = buckets.get(key) ?? { tokens: requests, filled_at_ms: now_ms }
    const per_ms = requests / (per_seconds * 1000)
    return { tokens: Math.min(requests, tokens + (now_ms - filled_at_ms) * per_ms), filled_at_ms: now_ms }
  }
  return {
    take: (key: string, limit: RateLimit, now_ms: number): number => {
      const bucket = refill(key, limit, now_ms)
      // A flood of made-up callers must not create unlimited buckets: the least recently used one is evicted, never a
      // busy one.
      putNewest(buckets, key, bucket, MAX_BUCKETS)
      const per_ms = limit.requests / (limit.per_seconds * 1000)
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / per_ms / 1000))
      bucket.tokens -= 1
      return 0
    },
    used: (key: string, limit: RateLimit, now_ms: number): number =>
      limit.requests - refill(key, limit, now_ms).tokens,
  }
}
