// Silence is a state: an environment whose reporter stopped is neither compliant nor simply unknown, it is stale.

/** How many seconds a new environment may take between two reports, unless it says otherwise. */
export const DEFAULT_REPORT_INTERVAL_S = 3600

export const ENVIRONMENT_STATES = ['compliant', 'non-compliant', 'unknown', 'stale'] as const
export type EnvironmentState = (typeof ENVIRONMENT_STATES)[number]

/** `stale_at`: when three intervals have passed since the latest report; null when it is not expected to report. */
export function isStale(stale_at: Date | null, now: Date): boolean {
  return stale_at !== null && stale_at <= now
}

/** The verdict of the latest snapshot as it counts now. Silence takes nothing back that is known to be wrong. */
export function computeCurrentVerdict(
  verdict: boolean | null,
  stale_at: Date | null,
  now: Date,
): boolean | null {
  return verdict === true && isStale(stale_at, now) ? null : verdict
}
