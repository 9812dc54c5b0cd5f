// The only code that reads the clock. All other code gets `now` as an argument.

export interface Clock {
  now(): Date
  /** Milliseconds since an arbitrary origin, never going back: for durations, not for dates. */
  monotonic_ms(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic_ms: () => performance.now(),
}
