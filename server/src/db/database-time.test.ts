// Computing the time from the database's clock, as tables of cases. Milliseconds from an arbitrary origin.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  chooseOffset,
  computeTime,
  type Mark,
  measureOffset,
  moveMark,
  type Offset,
} from './database-time.ts'

const HOUR = 3_600_000
const makeMark = (database_ms: number, time_ms: number): Mark => ({ database_ms, time_ms, resets: 0 })
const makeOffset = (offset_ms: number, error_ms: number, measured_ms: number): Offset => ({
  offset_ms,
  error_ms,
  measured_ms,
})

describe('the time', () => {
  it.each([
    ['matches the database', 9 * HOUR, makeMark(8 * HOUR, 8 * HOUR), 9 * HOUR],
    ['matches the database at the mark', 8 * HOUR, makeMark(8 * HOUR, 8 * HOUR), 8 * HOUR],
    ['stands still while the clock is behind its mark', 7 * HOUR, makeMark(8 * HOUR, 8 * HOUR), 8 * HOUR],
    ['goes on slowly from a mark that was moved', 8 * HOUR, makeMark(7 * HOUR, 8 * HOUR), 8.5 * HOUR],
    ['meets the database after twice the difference', 9 * HOUR, makeMark(7 * HOUR, 8 * HOUR), 9 * HOUR],
    ['matches the database from then on', 9.5 * HOUR, makeMark(7 * HOUR, 8 * HOUR), 9.5 * HOUR],
  ])('%s', (_, database_ms, mark, expected) => expect(computeTime(database_ms, mark)).toBe(expected))
})

describe('the next mark', () => {
  it.each([
    ['follows the database', makeMark(10, 10), 20, 19, makeMark(20, 20)],
    [
      'keeps the time when the clock was set back',
      makeMark(10 * HOUR, 10 * HOUR),
      9 * HOUR,
      10 * HOUR + 5,
      makeMark(9 * HOUR, 10 * HOUR + 5),
    ],
    ['keeps the time of another process', makeMark(10, 50), 5, 40, makeMark(5, 50)],
    [
      'keeps the stored time of a process that has none yet',
      makeMark(10, 50),
      5,
      Number.NEGATIVE_INFINITY,
      makeMark(5, 50),
    ],
    ['stays on the same line while time catches up', makeMark(0, 1000), 100, 1049, makeMark(100, 1050)],
  ])('%s', (_, mark, database_ms, reached_ms, expected) =>
    expect(moveMark(mark, database_ms, reached_ms)).toEqual(expected),
  )

  it('never lets the time go back, whatever the clock of the database does', () => {
    const clock = fc.array(fc.integer({ min: -2 * HOUR, max: 2 * HOUR }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(clock, steps => {
        let mark = makeMark(0, 0)
        let database_ms = 0
        let reached_ms = 0
        for (const step of steps) {
          database_ms += step
          mark = moveMark(mark, database_ms, Number.NEGATIVE_INFINITY)
          const time_ms = computeTime(database_ms, mark)
          expect(time_ms).toBeGreaterThanOrEqual(Math.max(reached_ms, database_ms))
          reached_ms = time_ms
        }
      }),
    )
  })
})

describe('an offset', () => {
  it.each([
    ['is exact if nothing passed', 100, 100, 5100, makeOffset(5000, 0, 100)],
    ['is measured in the middle', 100, 110, 5105, makeOffset(5000, 5, 110)],
    ['may be negative', 6000, 6002, 1001, makeOffset(-5000, 1, 6002)],
  ])('%s', (_, sent_ms, received_ms, database_ms, expected) =>
    expect(measureOffset({ sent_ms, received_ms, database_ms })).toEqual(expected),
  )

  it('is wrong by half of the round trip at most', () => {
    const moment = fc.double({ min: 0, max: 1000, noNaN: true })
    fc.assert(
      fc.property(moment, moment, moment, (sent_ms, there, back) => {
        const received_ms = sent_ms + there + back
        const { offset_ms, error_ms } = measureOffset({ sent_ms, received_ms, database_ms: sent_ms + there })
        expect(Math.abs(offset_ms)).toBeLessThanOrEqual(error_ms + 1e-6)
      }),
    )
  })

  it.each<[string, Offset | undefined, [Offset, ...Offset[]], Offset]>([
    ['the only one', undefined, [makeOffset(7, 2, 10)], makeOffset(7, 2, 10)],
    [
      'the most exact',
      undefined,
      [makeOffset(7, 2, 10), makeOffset(6, 1, 20), makeOffset(9, 5, 30)],
      makeOffset(6, 1, 20),
    ],
    [
      'the previous one while it is more exact',
      makeOffset(5, 1, 0),
      [makeOffset(7, 3, 10)],
      makeOffset(5, 1, 0),
    ],
    [
      'the new one when the previous one has become inexact',
      makeOffset(5, 1, 0),
      [makeOffset(7, 3, 30_000)],
      makeOffset(7, 3, 30_000),
    ],
    [
      'the new one when the clock was set forward',
      makeOffset(5, 1, 0),
      [makeOffset(HOUR, 3, 10)],
      makeOffset(HOUR, 3, 10),
    ],
    [
      'the new one when the clock was set back',
      makeOffset(5, 1, 0),
      [makeOffset(-HOUR, 3, 10)],
      makeOffset(-HOUR, 3, 10),
    ],
  ])('that is chosen is %s', (_, previous, measured, expected) =>
    expect(chooseOffset(previous, measured)).toEqual(expected),
  )
})
