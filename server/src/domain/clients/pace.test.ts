import { describe, expect, it } from 'vitest'
import { judgePace } from './pace.ts'

const LIMITS = { period_ms: 25_000, bytes_per_s: 16 * 1024 }
const SHARE = 25 * 16 * 1024
const BEGUN = { since_ms: 1_000, moved_bytes: 500 }

describe('the pace of a client', () => {
  it.each<[string, { after_ms: number; bytes: number; is_waiting?: boolean }, boolean]>([
    ['is not judged before the period is over', { after_ms: 24_999, bytes: 0 }, false],
    ['is too slow one byte below the minimum', { after_ms: 25_000, bytes: SHARE - 1 }, true],
    ['suffices at the minimum', { after_ms: 25_000, bytes: SHARE }, false],
    ['is too slow if it would suffice for a shorter time', { after_ms: 50_000, bytes: SHARE }, true],
    [
      'is not judged while the server is not waiting',
      { after_ms: 99_000, bytes: 0, is_waiting: false },
      false,
    ],
  ])('%s', (_what, { after_ms, bytes, is_waiting = true }, is_too_slow) => {
    const seen = { now_ms: 1_000 + after_ms, moved_bytes: 500 + bytes, is_waiting }
    expect(judgePace(BEGUN, seen, LIMITS).is_too_slow).toBe(is_too_slow)
  })

  it('is judged in each period: bytes of an earlier one do not count', () => {
    const first = judgePace(BEGUN, { now_ms: 26_000, moved_bytes: 90 * SHARE, is_waiting: true }, LIMITS)
    expect(first).toEqual({ pace: { since_ms: 26_000, moved_bytes: 90 * SHARE }, is_too_slow: false })
    const second = { now_ms: 51_000, moved_bytes: 90 * SHARE + 1, is_waiting: true }
    expect(judgePace(first.pace, second, LIMITS).is_too_slow).toBe(true)
  })

  it('begins again when the server was not waiting', () => {
    const idle = judgePace(BEGUN, { now_ms: 20_000, moved_bytes: 500, is_waiting: false }, LIMITS)
    expect(idle.pace).toEqual({ since_ms: 20_000, moved_bytes: 500 })
  })

  it('may be anything without a minimum', () => {
    const seen = { now_ms: 99_000, moved_bytes: 500, is_waiting: true }
    expect(judgePace(BEGUN, seen, { ...LIMITS, bytes_per_s: 0 }).is_too_slow).toBe(false)
  })
})
