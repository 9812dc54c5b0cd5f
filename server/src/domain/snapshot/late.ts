// The time of a report, and whether the report is too old to become the present.

/** Never later than its arrival: the clock of the reporter may be ahead. */
export function computeReportTime(observed_at: Date | null, now: Date): Date {
  return observed_at !== null && observed_at < now ? observed_at : now
}

/** `newest_at`: time of the newest report; null if there is none. `snapshot-store.ts` has the same rule in SQL. */
export function isLate(observed_at: Date | null, newest_at: Date | null): boolean {
  return observed_at !== null && newest_at !== null && observed_at < newest_at
}
