// The only reader of the wall clock. Everything else is handed `now` as an argument.

export interface Clock {
  now(): Date
  /** Milliseconds from an arbitrary origin that never steps back: for durations, never for dates. */
  monotonic_ms(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic_ms: () => performance.now(),
}
