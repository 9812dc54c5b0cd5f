import { describe, expect, it } from 'vitest'
import { makeRateLimiter, type RateLimiter } from './rate-limit.ts'

const PER_MINUTE = { requests: 60, per_seconds: 60 }

/** How many of `attempts` pass at the same time. */
function countPassing(limiter: RateLimiter, key: string, now_ms: number, attempts: number): number {
  return Array.from({ length: attempts }, () => limiter.take(key, now_ms)).filter(wait => wait === 0).length
}

describe('a rate limit', () => {
  it('lets a burst of one period through and then says how long to wait', () => {
    const limiter = makeRateLimiter(PER_MINUTE)
    expect(countPassing(limiter, 'a', 0, 60)).toBe(60)
    expect(limiter.take('a', 0)).toBe(1)
    expect(limiter.take('a', 999)).toBe(1)
    expect(limiter.take('a', 1000)).toBe(0)
    expect(limiter.take('a', 1000)).toBe(1)
  })

  it('refills evenly, and never beyond one period', () => {
    const limiter = makeRateLimiter(PER_MINUTE)
    countPassing(limiter, 'a', 0, 60)
    expect(countPassing(limiter, 'a', 30_000, 100)).toBe(30)
    expect(countPassing(limiter, 'a', 3_600_000, 100)).toBe(60)
  })

  it('gives the full wait for a slow rate, in whole seconds', () => {
    const limiter = makeRateLimiter({ requests: 3, per_seconds: 3600 })
    countPassing(limiter, 'a', 0, 3)
    expect(limiter.take('a', 0)).toBe(1200)
    expect(limiter.take('a', 500)).toBe(1200)
    expect(limiter.take('a', 1_199_001)).toBe(1)
    expect(limiter.take('a', 1_200_000)).toBe(0)
  })

  it('does not count refused attempts', () => {
    const limiter = makeRateLimiter(PER_MINUTE)
    countPassing(limiter, 'a', 0, 60)
    expect(countPassing(limiter, 'a', 500, 1000)).toBe(0)
    expect(limiter.take('a', 1000)).toBe(0)
  })

  it('counts every key on its own', () => {
    const limiter = makeRateLimiter(PER_MINUTE)
    expect(countPassing(limiter, 'a', 0, 100)).toBe(60)
    expect(countPassing(limiter, 'b', 0, 100)).toBe(60)
  })

  it('is not lifted by a flood of other keys', () => {
    const limiter = makeRateLimiter({ requests: 1, per_seconds: 3600 })
    limiter.take('busy', 0)
    for (let i = 0; i < 51_000; i++) {
      if (i === 25_000) limiter.take('busy', 2)
      limiter.take(`made-up-${i}`, 2)
    }
    expect(limiter.take('busy', 2)).toBeGreaterThan(0)
  })

  it('lets everything through when it is off', () => {
    expect(countPassing(makeRateLimiter(undefined), 'a', 0, 10_000)).toBe(10_000)
  })
})
