// Decides when messages to a target are paused because its receiver cannot be reached, for how long, and how the
// pause is worded. The pause ends with a probe: one message that is sent before the others.

/** This many failures in a row pause a target. */
export const FAILURES_BEFORE_PAUSE = 5
const FIRST_PAUSE_S = 30
const LONGEST_PAUSE_S = 15 * 60
/** Relative to the pause, in either direction, so that targets that failed together are not probed together. */
const MAX_DEVIATION = 0.2

/** The state of a target whose latest attempt did not reach the receiver. */
export interface Breaker {
  /** In a row. */
  failures: number
  /** In a row. */
  pauses: number
  /** Null while messages are sent as usual. */
  paused_until: Date | null
}

export interface Result {
  /** Whether the receiver responded, other than with a server error. */
  is_reached: boolean
  /** Whether the message was sent to find out if the receiver is back. */
  is_probe: boolean
  at: Date
  /** From 0 to 1; 0.5 means no deviation. */
  jitter: number
}

/** The state after a result; undefined if there is nothing to store, because the receiver responds. */
export function decideBreaker(before: Breaker | undefined, result: Result): Breaker | undefined {
  if (result.is_reached) return undefined
  const { failures, pauses, paused_until } = before ?? { failures: 0, pauses: 0, paused_until: null }
  const failed = { failures: failures + 1, pauses, paused_until }
  // Sent before the pause began, so it reveals nothing new.
  if (paused_until !== null && !result.is_probe) return failed
  if (paused_until === null && failed.failures < FAILURES_BEFORE_PAUSE) return failed
  const wait_ms = computePause(pauses, result.jitter) * 1000
  return { ...failed, pauses: pauses + 1, paused_until: new Date(result.at.getTime() + wait_ms) }
}

function computePause(pauses: number, jitter: number): number {
  const pause_s = Math.min(FIRST_PAUSE_S * 2 ** pauses, LONGEST_PAUSE_S)
  return pause_s * (1 + MAX_DEVIATION * (2 * jitter - 1))
}

/** Why messages are paused, for everyone who may see the target. */
export function describePause({ failures, error }: { failures: number; error: string }): string {
  return `The last ${failures} attempts failed: ${error}`
}
