// A transaction's time limits in the database. One limit for all would be too short for the largest report on a busy
// machine, or would let a small request block others for minutes. So a transaction that handles many rows announces
// how many, and its limits grow with them (docs/adr/0027).
import type { Query } from './packet.ts'

export interface TimeLimits {
  /** For one statement. */
  statement_ms: number
  /** For one wait for a lock. */
  lock_ms: number
  /** Between two statements. */
  idle_ms: number
}

export const LIMITS = 'limits'

/** The limits grow by their base value for each of these many rows. */
const ROWS = 10_000
const MOST_TIMES = 6
/** Smaller growth is not worth another statement. */
const LEAST_GROWTH = 1.1
/** The server gives up first, and keeps the connection. */
const GRACE_MS = 1_000

/** The lock limit does not grow: how long others hold a lock does not depend on our rows. */
export function growLimits({ statement_ms, lock_ms, idle_ms }: TimeLimits, rows: number): TimeLimits {
  const times = Math.min(1 + rows / ROWS, MOST_TIMES)
  return { statement_ms: Math.round(statement_ms * times), lock_ms, idle_ms: Math.round(idle_ms * times) }
}

export function isWorthSetting(grown: TimeLimits, in_force: TimeLimits): boolean {
  return grown.statement_ms > in_force.statement_ms * LEAST_GROWTH
}

export function buildLimitsQuery({ statement_ms, idle_ms }: TimeLimits): Query {
  return {
    name: LIMITS,
    text: `select where set_config('statement_timeout', $1, true) is null
      or set_config('idle_in_transaction_session_timeout', $2, true) is null`,
    values: [String(statement_ms), String(idle_ms)],
  }
}

/**
 * How long the driver waits for a packet before it gives up on the connection. It counts from the moment of sending, so
 * statements of a large transaction that are sent together may take their limits one after another.
 */
export function computeClientLimit(in_force: TimeLimits, base: TimeLimits, statements: number): number {
  const waits = in_force.statement_ms > base.statement_ms ? Math.max(statements, 1) : 1
  return in_force.statement_ms * waits + GRACE_MS
}
