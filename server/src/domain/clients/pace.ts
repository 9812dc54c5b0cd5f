// Whether a client moves enough bytes: it must reach the minimum rate, on average, in each period in which the server
// waits for it. So a large body on a slow line has the time it needs, and one byte now and then is not enough.

export interface PaceLimits {
  period_ms: number
  bytes_per_s: number
}

export interface Pace {
  /** When the current period began, and what had been moved by then. */
  since_ms: number
  moved_bytes: number
}

export interface Seen {
  now_ms: number
  moved_bytes: number
  /** Whether the server waits for the client, and not the other way round. */
  is_waiting: boolean
}

export type Judgement = { pace: Pace; is_too_slow: boolean }

export function judgePace(pace: Pace, seen: Seen, { period_ms, bytes_per_s }: PaceLimits): Judgement {
  const { now_ms, moved_bytes, is_waiting } = seen
  const begun = { since_ms: now_ms, moved_bytes }
  if (!is_waiting) return { pace: begun, is_too_slow: false }
  const waited_ms = now_ms - pace.since_ms
  if (waited_ms < period_ms) return { pace, is_too_slow: false }
  const least_bytes = (bytes_per_s * waited_ms) / 1000
  return { pace: begun, is_too_slow: moved_bytes - pace.moved_bytes < least_bytes }
}
