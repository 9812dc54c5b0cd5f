import { describe, expect, it } from 'vitest'
import { computeRotation } from './api-key.ts'

const HOUR_MS = 3_600_000
const NEVER = null
const now = new Date(Date.UTC(2026, 2, 3, 12))
const addHours = (hours: number) => new Date(now.getTime() + hours * HOUR_MS)

/**
 * Expiry of the old key, grace period in hours, requested expiry; resulting expiry of the old key and of the new one.
 */
const CASES: [Date | null, number, Date | null | undefined, Date, Date | null][] = [
  [NEVER, 24, undefined, addHours(24), NEVER],
  [NEVER, 24, addHours(48), addHours(24), addHours(48)],
  [NEVER, 720, NEVER, addHours(720), NEVER],
  [addHours(100), 24, undefined, addHours(24), addHours(100)],
  [addHours(100), 24, NEVER, addHours(24), NEVER],
  [addHours(10), 24, undefined, addHours(10), addHours(10)],
  [addHours(10), 24, addHours(500), addHours(10), addHours(500)],
  [addHours(24), 24, undefined, addHours(24), addHours(24)],
  [addHours(100), 1, addHours(0.5), addHours(1), addHours(0.5)],
]

describe('a rotation', () => {
  it.each(CASES)(
    'of a key that expires %j, with %d hours and %j requested',
    (old, grace, requested, oldEnd, newEnd) => {
      const made = computeRotation(old, { now, grace_period_hours: grace, expires_at: requested })
      expect(made).toEqual({ grace_period_expires_at: oldEnd, expires_at: newEnd })
    },
  )
})
