// Computes the time from the database's clock. Pure: moments are milliseconds since 1970, or since the origin of this
// process's monotonic clock, with fractions.

/**
 * The time that Waybill had reached at one moment of the database's clock. It is stored, so it outlives every
 * process.
 */
export interface Mark {
  database_ms: number
  time_ms: number
  /** How often an operator has accepted a database clock that was behind. */
  resets: number
}

/** One reading of the database's clock: between sending and receiving, it was `database_ms`. */
export interface Reading {
  sent_ms: number
  received_ms: number
  database_ms: number
}

/** How far the database's clock is ahead of the monotonic clock, give or take `error_ms`. */
export interface Offset {
  offset_ms: number
  error_ms: number
  measured_ms: number
}

/** While the database's clock is behind the time, the time advances at this rate, until the two agree. */
const CATCH_UP_RATE = 0.5
/** Quartz clocks without NTP drift apart by less. */
const DRIFT = 1e-4

/**
 * The time at a moment of the database's clock: that moment, and never less than the mark. It depends on nothing
 * else, so all processes agree. It increases even while the database is behind, so that later events have later
 * times.
 */
export function computeTime(database_ms: number, mark: Mark): number {
  const since_ms = Math.max(0, database_ms - mark.database_ms)
  return Math.max(database_ms, mark.time_ms + since_ms * CATCH_UP_RATE)
}

/** The next mark. `reached_ms` is the time that this process has already used. */
export function moveMark(mark: Mark, database_ms: number, reached_ms: number): Mark {
  return { ...mark, database_ms, time_ms: Math.max(computeTime(database_ms, mark), reached_ms) }
}

/**
 * The database read its clock at some moment between the two, so the middle is wrong by at most half the difference.
 */
export function measureOffset({ sent_ms, received_ms, database_ms }: Reading): Offset {
  const error_ms = (received_ms - sent_ms) / 2
  return { offset_ms: database_ms - (sent_ms + error_ms), error_ms, measured_ms: received_ms }
}

export function computeError({ error_ms, measured_ms }: Offset, monotonic_ms: number): number {
  return error_ms + Math.max(0, monotonic_ms - measured_ms) * DRIFT
}

/**
 * The most exact of the new offsets, or the previous one while it is more exact. A previous one that contradicts the
 * new ones is dropped: the database's clock was set, or this machine was suspended.
 */
export function chooseOffset(previous: Offset | undefined, measured: readonly [Offset, ...Offset[]]): Offset {
  const monotonic_ms = Math.max(...measured.map(({ measured_ms }) => measured_ms))
  const getError = (offset: Offset) => computeError(offset, monotonic_ms)
  const best = measured.reduce((a, b) => (getError(b) < getError(a) ? b : a))
  if (!previous || getError(best) <= getError(previous)) return best
  const isPossible = Math.abs(best.offset_ms - previous.offset_ms) <= getError(best) + getError(previous)
  return isPossible ? previous : best
}
