// A token bucket per key (and per address for callers without one): a burst of one period's worth, refilled evenly.
// Kept in memory: each process allows the whole rate, which docs/operations.md says.
import type { RateLimit } from '../config.ts'

const MOST_BUCKETS = 50_000

interface Bucket {
  tokens: number
  filled_at_ms: number
}

export interface RateLimiter {
  /** Seconds to wait, or 0 when the request may go on. */
  take(key: string, now_ms: number): number
}

export function makeRateLimiter(limit: RateLimit | undefined): RateLimiter {
  if (!limit) return { take: () => 0 }
  const buckets = new Map<string, Bucket>()
  const per_ms = limit.requests / (limit.per_seconds * 1000)
  return {
    take: (key, now_ms) => {
      const bucket = buckets.get(key) ?? { tokens: limit.requests, filled_at_ms: now_ms }
      bucket.tokens = Math.min(limit.requests, bucket.tokens + (now_ms - bucket.filled_at_ms) * per_ms)
      bucket.filled_at_ms = now_ms
      // Last in the order again: it is the bucket longest unused that is forgotten, never a busy one.
      buckets.delete(key)
      forgetOldest(buckets)
      buckets.set(key, bucket)
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / per_ms / 1000))
      bucket.tokens -= 1
      return 0
    },
  }
}

/** A flood of made-up callers must not become a flood of buckets. */
function forgetOldest(buckets: Map<string, Bucket>): void {
  if (buckets.size < MOST_BUCKETS) return
  const oldest = buckets.keys().next()
  if (!oldest.done) buckets.delete(oldest.value)
}
