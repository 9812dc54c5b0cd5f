// When messages to a target are paused, for how long, and what ends the pause.
import { describe, expect, it } from 'vitest'
import { type Breaker, decideBreaker, describePause, FAILURES_BEFORE_PAUSE } from './breaker.ts'

const AT = new Date('2026-03-03T12:00:00Z')
const inSeconds = (seconds: number) => new Date(AT.getTime() + seconds * 1000)
const FAILED = { is_reached: false, is_probe: false, at: AT, jitter: 0.5 }
const PROBE_FAILED = { ...FAILED, is_probe: true }
const REACHED = { ...FAILED, is_reached: true }

const sending = (failures: number): Breaker => ({ failures, pauses: 0, paused_until: null })
const paused = (failures: number, pauses: number, seconds: number): Breaker => ({
  failures,
  pauses,
  paused_until: inSeconds(seconds),
})

describe('a result', () => {
  it.each([
    ['the first failure is counted', undefined, FAILED, sending(1)],
    ['the fourth failure does not pause yet', sending(3), FAILED, sending(4)],
    ['the fifth failure pauses for 30 s', sending(4), FAILED, paused(5, 1, 30)],
    ['a failure from before the pause leaves it as it is', paused(5, 1, 20), FAILED, paused(6, 1, 20)],
    ['a failed probe pauses twice as long', paused(5, 1, 60), PROBE_FAILED, paused(6, 2, 60)],
    ['the third pause is 2 minutes', paused(6, 2, 60), PROBE_FAILED, paused(7, 3, 120)],
    ['the fourth pause is 4 minutes', paused(7, 3, 60), PROBE_FAILED, paused(8, 4, 240)],
    ['the fifth pause is 8 minutes', paused(8, 4, 60), PROBE_FAILED, paused(9, 5, 480)],
    ['no pause is longer than 15 minutes', paused(9, 5, 60), PROBE_FAILED, paused(10, 6, 900)],
    ['the pause stays at 15 minutes', paused(500, 400, 60), PROBE_FAILED, paused(501, 401, 900)],
    ['jitter makes it shorter', sending(4), { ...FAILED, jitter: 0 }, paused(5, 1, 24)],
    ['jitter makes it longer', sending(4), { ...FAILED, jitter: 1 }, paused(5, 1, 36)],
    ['a response without failures changes nothing', undefined, REACHED, undefined],
    ['a response ends the count', sending(4), REACHED, undefined],
    ['a response to the probe ends the pause', paused(7, 3, 60), { ...REACHED, is_probe: true }, undefined],
    ['a response to an earlier message ends it too', paused(5, 1, 20), REACHED, undefined],
  ])('%s', (_what, before, result, after) => {
    expect(decideBreaker(before, result)).toEqual(after)
  })

  it('pauses after five failures in a row, and not before', () => {
    let breaker: Breaker | undefined
    for (let failures = 1; failures <= FAILURES_BEFORE_PAUSE; failures++) {
      expect(breaker?.paused_until ?? null).toBeNull()
      breaker = decideBreaker(breaker, FAILED)
    }
    expect(breaker).toEqual(paused(5, 1, 30))
  })
})

it('a pause is described with the number of failures and the last of them', () => {
  const error = 'The receiver did not respond within 30 seconds'
  expect(describePause({ failures: 5, error })).toBe(
    'The last 5 attempts failed: The receiver did not respond within 30 seconds',
  )
})
