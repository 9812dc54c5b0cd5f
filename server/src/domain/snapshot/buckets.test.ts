// How a time range is chosen and divided. Times are in seconds after a fixed one.
import { describe, expect, it } from 'vitest'
import { resolveTimeRange, splitIntoBuckets } from './buckets.ts'

const START_MS = Date.UTC(2026, 2, 3, 12)
const toDate = (seconds: number) => new Date(START_MS + seconds * 1000)
const toSeconds = (time: Date) => (time.getTime() - START_MS) / 1000

const NOW = 100

describe('the time range', () => {
  it.each([
    { from: undefined, to: undefined, first: 40, gives: [40, 100] },
    { from: 10, to: 20, first: 40, gives: [10, 20] },
    { from: 50, to: undefined, first: 40, gives: [50, 100] },
    { from: undefined, to: 60, first: 40, gives: [40, 60] },
    // By default it would end before it starts.
    { from: undefined, to: 20, first: 40, gives: [20, 20] },
    { from: undefined, to: undefined, first: null, gives: [100, 100] },
    { from: undefined, to: 300, first: null, gives: [300, 300] },
    // A clock that was set back.
    { from: undefined, to: undefined, first: 130, gives: [100, 100] },
    // Invalid ranges are rejected elsewhere.
    { from: 60, to: 50, first: 40, gives: [60, 50] },
    { from: 150, to: undefined, first: 40, gives: [150, 100] },
  ])('from $from to $to, first snapshot at $first, is $gives', ({ from, to, first, gives }) => {
    const given = {
      from: from === undefined ? undefined : toDate(from),
      to: to === undefined ? undefined : toDate(to),
    }
    const stretch = resolveTimeRange(given, first === null ? null : toDate(first), toDate(NOW))
    expect([toSeconds(stretch.from), toSeconds(stretch.to)]).toEqual(gives)
  })
})

describe('its buckets', () => {
  it.each([
    { length: 100, wanted: 10, many: 10 },
    { length: 100, wanted: 120, many: 100 },
    { length: 100.9, wanted: 400, many: 100 },
    { length: 10, wanted: 10, many: 10 },
    { length: 9.999, wanted: 10, many: 9 },
    { length: 0.4, wanted: 10, many: 1 },
    { length: 0, wanted: 10, many: 1 },
    { length: 31_536_000, wanted: 397, many: 397 },
  ])('of $length seconds, $wanted wanted, are $many', ({ length, wanted, many }) => {
    const buckets = splitIntoBuckets({ from: toDate(0), to: toDate(length) }, wanted)
    expect(buckets).toHaveLength(many)
    expect(buckets[0]?.from).toEqual(toDate(0))
    expect(buckets.at(-1)?.to).toEqual(toDate(length))
    const lengths = buckets.map(({ from, to }) => to.getTime() - from.getTime())
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    for (const [i, { to }] of buckets.slice(0, -1).entries()) expect(buckets[i + 1]?.from).toEqual(to)
  })
})
