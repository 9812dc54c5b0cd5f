import { describe, expect, it } from 'vitest'
import { computeHorizons, type ExpiryNotice, findDueNotice } from './key-expiry.ts'

const DAY_MS = 86_400_000
const now = new Date(Date.UTC(2026, 2, 3, 12))
const addDays = (days: number, ms = 0) => new Date(now.getTime() + days * DAY_MS + ms)
const NEVER = null

/** Days since creation, notice already sent, expiry, notice due. */
const CASES: [string, number, ExpiryNotice | null, Date | null, ExpiryNotice | undefined][] = [
  ['never ends', 400, null, NEVER, undefined],
  ['ends in a year', 0, null, addDays(365), undefined],
  ['ends in 14 days and a moment', 30, null, addDays(14, 1), undefined],
  ['ends in 14 days', 30, null, addDays(14), 'first'],
  ['ends in 10 days', 30, null, addDays(10), 'first'],
  ['ends in 10 days and was announced', 30, 'first', addDays(10), undefined],
  ['ends in 3 days and a moment and was announced', 30, 'first', addDays(3, 1), undefined],
  ['ends in 3 days and a moment and was missed so far', 30, null, addDays(3, 1), 'first'],
  ['ends in 3 days', 30, 'first', addDays(3), 'last'],
  ['ends in 3 days and was missed so far', 30, null, addDays(3), 'last'],
  ['ends in a moment', 30, 'first', addDays(0, 1), 'last'],
  ['ends in 2 days and had its last call', 30, 'last', addDays(2), undefined],
  ['ends in 10 days and had its last call already', 30, 'last', addDays(10), undefined],
  ['ends now', 30, 'first', addDays(0), undefined],
  ['has ended', 30, null, addDays(-1), undefined],
  ['lives for exactly 14 days', 0, null, addDays(14), 'first'],
  ['lives for a moment less than 14 days', 0, null, addDays(14, -1), undefined],
  ['lives for 14 days, 7 of them gone', 7, null, addDays(7), 'first'],
  ['lives for 13 days, 7 of them gone', 7, null, addDays(6), undefined],
  ['lives for 13 days, 10 of them gone', 10, null, addDays(3), 'last'],
  ['lives for a day', 0, null, addDays(1), 'last'],
]

describe('a key that', () => {
  it.each(CASES)('%s', (_what, days_ago, expiry_notice, expires_at, due) => {
    const created_at = addDays(-days_ago)
    expect(findDueNotice({ created_at, expires_at, expiry_notice }, now)).toBe(due)
    // The search must not miss a notice that is due.
    const { first_at, last_at } = computeHorizons(now)
    if (due)
      expect(expires_at?.getTime()).toBeLessThanOrEqual((due === 'last' ? last_at : first_at).getTime())
  })
})
