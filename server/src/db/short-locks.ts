// Owner transactions that change tables in use: they wait only briefly for locks, because requests queue behind them,
// and then retry. docs/adr/0021-rolling-upgrades.md has the reasons.
import type pg from 'pg'

/**
 * While a change waits for a lock, requests queue behind it. Less than half of PostgreSQL's deadlock_timeout (1 s),
 * so that in a deadlock the change gives up, and not the request.
 */
const LOCK_TIMEOUT_MS = 400
export const MAX_ATTEMPTS = 20
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 5_000

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

export interface Patience {
  lock_timeout_ms: number
  pause: (ms: number) => Promise<void>
}

export const PATIENCE: Patience = {
  lock_timeout_ms: LOCK_TIMEOUT_MS,
  pause: ms => new Promise<void>(resolve => setTimeout(resolve, ms)),
}

/** A problem that ends the command with a one-line message instead of a stack trace. */
export class SchemaProblem extends Error {}

/** One transaction, repeated while requests keep it from getting a lock. */
export async function runWithShortLocks<T>(
  owner: pg.Client,
  { lock_timeout_ms, pause }: Patience,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(owner, lock_timeout_ms, work)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) throw error
      if (attempt === MAX_ATTEMPTS) {
        throw new SchemaProblem(
          `${name} could not lock a table that is in use, in ${attempt} attempts; end long transactions and start again`,
        )
      }
    }
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS))
  }
}

async function inTransaction<T>(
  owner: pg.Client,
  lock_timeout_ms: number,
  work: () => Promise<T>,
): Promise<T> {
  await owner.query('begin')
  try {
    await owner.query(`set local lock_timeout = ${lock_timeout_ms}`)
    const result = await work()
    await owner.query('commit')
    return result
  } catch (error) {
    await owner.query('rollback').catch(() => undefined)
    throw error
  }
}
