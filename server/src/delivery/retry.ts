// When a job that failed is tried again: by the schedule, a little earlier or later by chance so that what failed
// together does not come back together, and not before the other side wants it.

/** Of the wait, to either side. */
const MOST_DEVIATION = 0.2
/** However long the other side wants to be left alone. */
const MOST_RETRY_AFTER_S = 24 * 60 * 60

export interface FailedAttempt {
  /** The wait before each attempt; the first is the one before the first. */
  schedule_s: readonly number[]
  /** How many were made. */
  attempts: number
  is_final: boolean
  retry_after_s: number | null
  /** From 0 to 1; one half is no deviation. */
  jitter: number
}

/** In how many seconds the next attempt is due; undefined when there is none. */
export function computeRetryDelay({
  schedule_s,
  attempts,
  is_final,
  retry_after_s,
  jitter,
}: FailedAttempt): number | undefined {
  const wait_s = schedule_s[attempts]
  if (is_final || wait_s === undefined) return undefined
  const spread_s = wait_s * (1 + MOST_DEVIATION * (2 * jitter - 1))
  return Math.max(spread_s, Math.min(retry_after_s ?? 0, MOST_RETRY_AFTER_S))
}
