import { describe, expect, it } from 'vitest'
import { computeReportTime, isLate } from './late.ts'

const at = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000))

describe('a report', () => {
  it.each([
    ['that states no time is of when it arrives', null, 100, 100],
    ['that was observed earlier is of then', 40, 100, 40],
    ['that states a time ahead is of when it arrives', 160, 100, 100],
  ])('%s', (_, observed, now, expected) => {
    expect(computeReportTime(at(observed), new Date(now * 1000))).toEqual(at(expected))
  })

  it.each([
    ['is late if the newest is younger', 40, 50, true],
    ['is not late if it is as old as the newest', 50, 50, false],
    ['is not late if it is younger', 60, 50, false],
    ['is never late without a time', null, 50, false],
    ['is never late if it is the first', 40, null, false],
    ['is never late if nothing is known', null, null, false],
  ])('%s', (_, observed, newest, expected) => {
    expect(isLate(at(observed), at(newest))).toBe(expected)
  })
})
