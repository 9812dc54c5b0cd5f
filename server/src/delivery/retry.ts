// Computes when a failed job is retried: by the schedule, with some jitter so that jobs that failed together are not
// retried together, and not before the receiver's Retry-After.

/** Relative to the wait, in either direction. */
const MAX_DEVIATION = 0.2
/** Limit for the receiver's Retry-After. */
const MAX_RETRY_AFTER_S = 24 * 60 * 60

export interface FailedAttempt {
  /** The wait before each attempt, including the first. */
  schedule_s: readonly number[]
  /** The number of attempts so far. */
  attempts: number
  is_final: boolean
  retry_after_s: number | null
  /** From 0 to 1; 0.5 means no deviation. */
  jitter: number
}

/** Seconds until the next attempt; undefined if there is none. */
export function computeRetryDelay({
  schedule_s,
  attempts,
  is_final,
  retry_after_s,
  jitter,
}: FailedAttempt): number | undefined {
  const wait_s = schedule_s[attempts]
  if (is_final || wait_s === undefined) return undefined
  const spread_s = wait_s * (1 + MAX_DEVIATION * (2 * jitter - 1))
  return Math.max(spread_s, Math.min(retry_after_s ?? 0, MAX_RETRY_AFTER_S))
}
