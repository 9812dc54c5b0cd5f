// The only code that reads the clock of the machine. The application uses the database's clock
// (db/database-clock.ts); all other code gets `now` as an argument.

export interface Clock {
  now(): Date
  /** The same with fractions of a millisecond, if the clock has them: they order ids of several processes. */
  unix_ms?(): number
  /** Milliseconds since an arbitrary origin, never going back: for durations, not for dates. */
  monotonic_ms(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic_ms: () => performance.now(),
}
