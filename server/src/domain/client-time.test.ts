import { describe, expect, it } from 'vitest'
import { CLOCK_LEEWAY_S, findTimeProblem } from './client-time.ts'

const NOW_S = 1_772_539_200
const NOW = new Date(NOW_S * 1000)

describe('a time that a client states', () => {
  it.each([
    ['now', NOW_S],
    ['a fraction of a second', NOW_S - 0.25],
    ['weeks ago', NOW_S - 21 * 86_400],
    ['the first second', 0.001],
    ['as far ahead as allowed', NOW_S + CLOCK_LEEWAY_S],
  ])('can be %s', (_, seconds) => {
    expect(findTimeProblem(seconds, NOW)).toBeUndefined()
  })

  it.each([
    ['zero', 0, 'after 1970'],
    ['before 1970', -1, 'after 1970'],
    ['further ahead', NOW_S + CLOCK_LEEWAY_S + 0.001, 'at most 5 minutes ahead'],
    ['in milliseconds', NOW_S * 1000, 'in epoch seconds'],
    ['beyond every calendar', 1e300, 'check the clock'],
  ])('cannot be %s', (_, seconds, problem) => {
    expect(findTimeProblem(seconds, NOW)).toContain(problem)
  })
})
