// Staleness: an environment whose reporter has stopped is neither compliant nor merely unknown, it is stale.

/** The default report interval of a new environment, in seconds. */
export const DEFAULT_REPORT_INTERVAL_S = 3600

export const ENVIRONMENT_STATES = ['compliant', 'non-compliant', 'unknown', 'stale'] as const
export type EnvironmentState = (typeof ENVIRONMENT_STATES)[number]

/** When an environment becomes stale if no other report follows; the database computes the same. */
export function computeStaleAt(reported_at: Date, expected_report_interval: number | null): Date | null {
  if (expected_report_interval === null) return null
  return new Date(reported_at.getTime() + 3 * expected_report_interval * 1000)
}

/** `stale_at`: three intervals after the latest report; null if the environment has no expected interval. */
export function isStale(stale_at: Date | null, now: Date): boolean {
  return stale_at !== null && stale_at <= now
}

/**
 * The current value of the latest snapshot's verdict. A stale environment that was non-compliant stays
 * non-compliant.
 */
export function computeCurrentVerdict(
  verdict: boolean | null,
  stale_at: Date | null,
  now: Date,
): boolean | null {
  return verdict === true && isStale(stale_at, now) ? null : verdict
}

/** The current state of an environment, or of an artifact in it: missing reports do not hide a known violation. */
export function computeCurrentState(
  verdict: boolean | null,
  stale_at: Date | null,
  now: Date,
): EnvironmentState {
  if (verdict === false) return 'non-compliant'
  if (isStale(stale_at, now)) return 'stale'
  return verdict === null ? 'unknown' : 'compliant'
}
