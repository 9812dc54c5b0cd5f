// When the next attempt is due.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeRetryDelay, type FailedAttempt } from './retry.ts'

const DAY_S = 24 * 60 * 60
const FAILED: FailedAttempt = {
  schedule_s: [0, 5, 300, 1800],
  attempts: 1,
  is_final: false,
  retry_after_s: null,
  jitter: 0.5,
}

describe('the next attempt', () => {
  it.each([
    ['after the first, by the second number of the schedule', {}, 5],
    ['after the second', { attempts: 2 }, 300],
    ['at the earliest', { attempts: 2, jitter: 0 }, 240],
    ['at the latest', { attempts: 2, jitter: 1 }, 360],
    ['not before the receiver allows it', { retry_after_s: 90 }, 90],
    ['not earlier because the receiver would allow it', { attempts: 3, retry_after_s: 90 }, 1800],
    ['within a day, whatever the other side wants', { retry_after_s: 10 * DAY_S }, DAY_S],
    ['at once, if the schedule allows it', { attempts: 0 }, 0],
    ['never, when the schedule is over', { attempts: 4 }, undefined],
    [
      'never, after the last attempt, whatever the receiver wants',
      { attempts: 4, retry_after_s: 5 },
      undefined,
    ],
    ['never, if a retry would not help', { is_final: true }, undefined],
  ])('is %s', (_when, more, wait_s) => expect(computeRetryDelay({ ...FAILED, ...more })).toBe(wait_s))

  it('deviates by at most a fifth, spread over the whole range', () => {
    const wait = fc.record({
      wait_s: fc.integer({ min: 1, max: 36_000 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    const ratios: number[] = []
    fc.assert(
      fc.property(wait, ({ wait_s, jitter }) => {
        const ratio = (computeRetryDelay({ ...FAILED, schedule_s: [0, wait_s], jitter }) ?? 0) / wait_s
        ratios.push(ratio)
        return ratio > 0.799 && ratio < 1.201
      }),
    )
    expect(Math.min(...ratios)).toBeLessThan(0.9)
    expect(Math.max(...ratios)).toBeGreaterThan(1.1)
  })
})
