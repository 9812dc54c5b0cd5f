// The clock that the caller passes in: this package never reads one itself.

export interface Clock {
  now(): Date
  /** Milliseconds since an arbitrary origin, never going back: for durations, not for dates. */
  monotonic_ms(): number
}
