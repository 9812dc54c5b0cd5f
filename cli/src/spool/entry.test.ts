// Entry ids sort in the order in which they were written, whatever the clock does.
import { describe, expect, it } from 'vitest'
import { isId, makeId } from './entry.ts'

const NOW_MS = 1_794_920_908_772
const HEX = '0123456789abcdef'

describe('an id', () => {
  it.each([
    ['the clock goes on', NOW_MS + 1],
    ['the clock stands still', NOW_MS],
    ['the clock was set back', NOW_MS - 3_600_000],
  ])('sorts after the newest one if %s', (_, now_ms) => {
    // The largest random part, so that only time and counter decide.
    const newest = makeId(NOW_MS, undefined, 'f'.repeat(16))
    const next = makeId(now_ms, newest, HEX)
    expect(isId(next)).toBe(true)
    expect(next > newest).toBe(true)
    expect(makeId(now_ms, next, HEX) > next).toBe(true)
  })
})
