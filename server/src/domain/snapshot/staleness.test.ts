// The current state of an environment, case by case.
import { describe, expect, it } from 'vitest'
import { computeCurrentState } from './staleness.ts'

const NOW = new Date('2026-03-03T12:00:00Z')
const [BEFORE, AFTER] = [new Date('2026-03-03T11:59:59Z'), new Date('2026-03-03T12:00:01Z')]

describe('the current state', () => {
  it.each([
    ['of a compliant environment that reports', true, AFTER, 'compliant'],
    ['of one that need not report', true, null, 'compliant'],
    ['of one without policies', null, AFTER, 'unknown'],
    ['is stale after missing reports', true, BEFORE, 'stale'],
    ['is stale at the very moment', true, NOW, 'stale'],
    ['is stale rather than unknown', null, BEFORE, 'stale'],
    ['is non-compliant although reports are missing', false, BEFORE, 'non-compliant'],
    ['is non-compliant', false, null, 'non-compliant'],
  ] as const)('%s', (_, verdict, stale_at, state) => {
    expect(computeCurrentState(verdict, stale_at, NOW)).toBe(state)
  })
})
