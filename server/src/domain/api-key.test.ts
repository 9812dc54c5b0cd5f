import { describe, expect, it } from 'vitest'
import { rotationOf } from './api-key.ts'

const HOUR_MS = 3_600_000
const NEVER = null
const now = new Date(Date.UTC(2026, 2, 3, 12))
const hour = (hours: number) => new Date(now.getTime() + hours * HOUR_MS)

/** When the old key was to end, the grace in hours, what was asked; when the old ends, when the new one does. */
const CASES: [Date | null, number, Date | null | undefined, Date, Date | null][] = [
  [NEVER, 24, undefined, hour(24), NEVER],
  [NEVER, 24, hour(48), hour(24), hour(48)],
  [NEVER, 720, NEVER, hour(720), NEVER],
  [hour(100), 24, undefined, hour(24), hour(100)],
  [hour(100), 24, NEVER, hour(24), NEVER],
  [hour(10), 24, undefined, hour(10), hour(10)],
  [hour(10), 24, hour(500), hour(10), hour(500)],
  [hour(24), 24, undefined, hour(24), hour(24)],
  [hour(100), 1, hour(0.5), hour(1), hour(0.5)],
]

describe('a rotation', () => {
  it.each(CASES)('of a key that ends %j, with %d hours and %j asked', (old, grace, asked, oldEnd, newEnd) => {
    const made = rotationOf(old, { now, grace_period_hours: grace, expires_at: asked })
    expect(made).toEqual({ grace_period_expires_at: oldEnd, expires_at: newEnd })
  })
})
