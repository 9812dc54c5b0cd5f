// The application's clock: the time of the database, which all processes share, and never the time of the machine
// that a process runs on. Between two readings, the monotonic clock of the process measures the time that has passed.
// docs/adr/0022-one-clock.md has the reasons.
import type pg from 'pg'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database, Db } from './database.ts'
import {
  chooseOffset,
  computeError,
  computeTime,
  type Mark,
  measureOffset,
  moveMark,
  type Offset,
} from './database-time.ts'
import { makeOwnerDb } from './owner.ts'
import { defineStatement, float, int, time } from './statement.ts'

const EVERY_MS = 10_000
/** Readings at the start; the most exact one counts. */
const FIRST_LOOKS = 8
const LOOKS = 3
/** Operators are warned if the time is ahead of the database by more than this. */
const WARN_AHEAD_MS = 60_000

export interface DatabaseClock extends Clock {
  /** With fractions of a millisecond. */
  unix_ms(): number
  /** Reads the database's clock, and stores the time reached. */
  measure(): Promise<void>
  /** How far the time is ahead of the database's clock. */
  getAheadMs(): number
  /** Why the time differs from the database's clock; undefined if it does not. */
  findProblem(): string | undefined
}

export type RunStatement = Db['run']

/** The process's own clock is used for its monotonic time only. */
export async function openDatabaseClock(
  run: RunStatement,
  { monotonic_ms }: Pick<Clock, 'monotonic_ms'>,
): Promise<DatabaseClock> {
  let known: { offset: Offset; mark: Mark } | undefined
  let latest_ms = Number.NEGATIVE_INFINITY
  const read = () => {
    assert(known !== undefined, 'the clock was measured')
    const database_ms = monotonic_ms() + known.offset.offset_ms
    latest_ms = Math.max(latest_ms, computeTime(database_ms, known.mark))
    return { database_ms, time_ms: latest_ms }
  }
  const isReset = ({ resets }: Mark) => known !== undefined && known.mark.resets !== resets
  /** The time that has certainly been reached, however inexact the measurement. */
  const getReachedMs = () =>
    known ? read().time_ms - computeError(known.offset, monotonic_ms()) : Number.NEGATIVE_INFINITY

  const measure = async () => {
    const looks = known ? LOOKS : FIRST_LOOKS
    const reached_ms = getReachedMs()
    const { mark, database_ms } = await look(run, monotonic_ms)
    const moved = moveMark(mark, database_ms, isReset(mark) ? Number.NEGATIVE_INFINITY : reached_ms)
    // A database that cannot be written, which /ready reports, still has a clock.
    const isStored = await storeMark(run, moved).then(
      () => true,
      () => false,
    )
    const first = await look(run, monotonic_ms)
    const measured: [Offset, ...Offset[]] = [measureOffset(first)]
    for (let i = 1; i < looks; i++) measured.push(measureOffset(await look(run, monotonic_ms)))
    if (isReset(first.mark)) latest_ms = Number.NEGATIVE_INFINITY
    known = { offset: chooseOffset(known?.offset, measured), mark: isStored ? first.mark : moved }
  }
  await measure()
  const getAheadMs = () => {
    const { database_ms, time_ms } = read()
    return time_ms - database_ms
  }
  return {
    now: () => new Date(read().time_ms),
    monotonic_ms,
    unix_ms: () => read().time_ms,
    measure,
    getAheadMs,
    findProblem: () => describeAhead(getAheadMs()),
  }
}

export interface RunningClock extends DatabaseClock {
  stop(): Promise<void>
}

/** Measures repeatedly until stopped. */
export async function startDatabaseClock(
  db: Pick<Database, 'runOnce'>,
  process_clock: Pick<Clock, 'monotonic_ms'>,
  log: Log,
): Promise<RunningClock> {
  const run: RunStatement = (statement, params) => db.runOnce({}, statement, params)
  const clock = await openDatabaseClock(run, process_clock)
  let isWarned = false
  const warn = () => {
    const problem = clock.findProblem()
    if (problem !== undefined && !isWarned) log.warn(problem)
    if (problem === undefined && isWarned) log.info('the time agrees with the clock of the database again')
    isWarned = problem !== undefined
  }
  warn()
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    // The monotonic clock goes on without the database; other checks report that the database does not respond.
    running ??= clock
      .measure()
      .then(warn, () => undefined)
      .finally(() => {
        running = undefined
      })
  }, EVERY_MS)
  timer.unref()
  return {
    ...clock,
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

function describeAhead(ahead_ms: number): string | undefined {
  if (ahead_ms <= WARN_AHEAD_MS) return undefined
  const seconds = Math.round(ahead_ms / 1000)
  return `the clock of the database is ${seconds} s behind the time that was reached; until they agree, time passes slowly`
}

const readMark = defineStatement(
  'clock.read',
  {},
  { database_ms: float, mark_database_ms: float, mark_time_ms: float, resets: int },
  `select extract(epoch from clock_timestamp())::float8 * 1000 as database_ms,
     extract(epoch from database_at)::float8 * 1000 as mark_database_ms,
     extract(epoch from time_at)::float8 * 1000 as mark_time_ms, resets
   from clock_mark`,
)

async function look(run: RunStatement, monotonic_ms: Clock['monotonic_ms']) {
  const sent_ms = monotonic_ms()
  const [row] = await run(readMark, {})
  const received_ms = monotonic_ms()
  assert(row !== undefined, 'the mark of the clock is stored')
  const mark: Mark = { database_ms: row.mark_database_ms, time_ms: row.mark_time_ms, resets: row.resets }
  return { sent_ms, received_ms, database_ms: row.database_ms, mark }
}

// Never moves the stored time back: another process may have written in between. Storing drops fractions of a
// microsecond.
const store = defineStatement(
  'clock.store',
  { database_ms: float, time_ms: float, resets: int },
  {},
  `update clock_mark set database_at = to_timestamp(:database_ms::float8 / 1000),
     time_at = greatest(time_at, to_timestamp(:time_ms::float8 / 1000))
   where resets = :resets and time_at <= to_timestamp(:time_ms::float8 / 1000) + interval '1 ms'`,
)

async function storeMark(run: RunStatement, { database_ms, time_ms, resets }: Mark): Promise<void> {
  await run(store, { database_ms, time_ms, resets })
}

const reset = defineStatement(
  'clock.reset',
  {},
  { database_ms: float },
  `update clock_mark set database_at = clock_timestamp(), time_at = clock_timestamp(), resets = resets + 1
   returning extract(epoch from database_at)::float8 * 1000 as database_ms`,
)

/** As the owner, accepts the database's clock although it is behind. Running processes follow. */
export async function resetClock(run: RunStatement): Promise<Date> {
  const [row] = await run(reset, {})
  return new Date(row?.database_ms ?? Number.NaN)
}

const readTime = defineStatement('clock.read_time', {}, { now: time }, 'select clock_timestamp() as now')

/** The database's clock alone, for a schema of any version. */
export async function readDatabaseTime(owner: pg.Client): Promise<Date> {
  const [row] = await makeOwnerDb(owner).run(readTime, {})
  assert(row !== undefined, 'the database has a clock')
  return row.now
}
