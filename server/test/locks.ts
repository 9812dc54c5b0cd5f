// Deterministic races: a test pauses a transaction at a chosen point and waits until others are blocked by it.
import type { TestApp } from './harness.ts'
import { until } from './patience.ts'

const LOCK = 1

interface Stop {
  table: string
  /** Before the row is inserted, or when the transaction is about to commit it. */
  at: 'insert' | 'commit'
  /** An SQL condition for the rows. Defaults to all rows. */
  where?: string
}

/** Blocks every insert of such a row from now on. Returns a function that unblocks them all. */
export async function stopInserts(
  app: TestApp,
  { table, at, where = 'true' }: Stop,
): Promise<() => Promise<void>> {
  await app.sql(`create function stop_here() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$`)
  await app.sql(
    at === 'insert'
      ? `create trigger stop_here before insert on ${table}
         for each row when (${where}) execute function stop_here()`
      : `create constraint trigger stop_here after insert on ${table} deferrable initially deferred
         for each row when (${where}) execute function stop_here()`,
  )
  await app.sql(`select pg_advisory_lock(${LOCK})`)
  return async () => {
    await app.sql(`select pg_advisory_unlock(${LOCK})`)
  }
}

/** How many sessions wait for a lock of another session. */
export async function countWaiting(app: TestApp): Promise<number> {
  // Within a transaction the list of sessions is read once and kept.
  await app.sql('select pg_stat_clear_snapshot()')
  const rows = await app.sql(`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return rows.length
}

export function untilWaiting(app: TestApp, sessions: number): Promise<void> {
  return until(async () => (await countWaiting(app)) === sessions)
}
