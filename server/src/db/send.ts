// Sends statements on one connection: a single one, a batch, a pipeline or a whole transaction, each with its scope and
// its time limits.
import type pg from 'pg'
import { assert } from '../lib/assert.ts'
import {
  areLogsKnown,
  type KnownLogs,
  type LogEntry,
  listEntries,
  type Step,
  startAppending,
} from './log-entries.ts'
import { type Query, sendPacket } from './packet.ts'
import { buildPlansQuery, choosePlans, isPlannedAsWanted, PLANS, type Plans } from './plans.ts'
import { type BuildScopeQuery, SCOPE, type Scope } from './scope.ts'
import { bindValues, type Statement } from './statement.ts'
import {
  buildLimitsQuery,
  computeClientLimit,
  growLimits,
  isWorthSetting,
  LIMITS,
  type TimeLimits,
} from './time-limits.ts'
import { addLimits, isFromFailedTransaction, translateDatabaseFault } from './violations.ts'

export interface Db {
  run<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  /** The rows of each statement, sent together. */
  runSteps(steps: readonly Step[]): Promise<unknown[][]>
  /** The following statements handle about this many rows, and get the time for it. */
  expectRows(rows: number): void
}

export type { Step } from './log-entries.ts'

export function makeStep<P, R>(statement: Statement<P, R>, params: P): Step {
  return toQuery(statement, params)
}

/** Steps whose rows decide which steps follow. */
export interface Pipeline<T> {
  reads: readonly Step[]
  /** Further reads that turn out to be needed, at the cost of one more wait. Their rows follow those of `reads`. */
  readMore?(rows: readonly unknown[][]): readonly Step[]
  decide(rows: readonly unknown[][]): { writes: readonly Step[]; outcome: T }
}

/** Runs a pipeline inside a transaction of several statements. */
export async function runPipelineIn<T>(tx: Db, pipeline: Pipeline<T>): Promise<T> {
  const { writes, outcome } = pipeline.decide(await readPipelineIn(tx, pipeline))
  await tx.runSteps(writes)
  return outcome
}

/** The rows of a pipeline, for a transaction that does more between its reads and its writes. */
export function readPipelineIn(tx: Db, pipeline: Pipeline<unknown>): Promise<unknown[][]> {
  return readAll(pipeline, tx.runSteps)
}

async function readAll(
  { reads, readMore }: Pipeline<unknown>,
  run: (steps: readonly Step[]) => Promise<unknown[][]>,
): Promise<unknown[][]> {
  const rows = await run(reads)
  const more = readMore?.(rows) ?? []
  return more.length === 0 ? rows : [...rows, ...(await run(more))]
}

/** Runs first in a transaction, in its own scope. If it throws, the transaction is rolled back. */
export interface Guard {
  scope: Scope
  check(tx: Db): Promise<void>
}

/**
 * Is notified of every statement when it is sent. Tests pass one to count statements by name; production has one only
 * with OpenTelemetry.
 */
export interface StatementObserver {
  onStatement(name: string): void
  /** A wait for a response begins: of a statement (the last one if several are sent together) or of 'commit'. */
  onWait(name: string): void
  /** A packet is sent on a connection, with its values and, if it begins a transaction, with its scope. */
  onPacket?(connection: object, queries: readonly Query[]): void
  /** Lets an observer follow a packet of these statements to its end. */
  watchPacket?: ((names: readonly string[]) => PacketWatch | undefined) | undefined
}

interface PacketWatch {
  /** The number of rows of each statement. */
  onRows(rows: readonly number[]): void
  onError(error: unknown): void
}

export interface Counter extends StatementObserver {
  /** Statements sent and waits for a response since the start, which performance claims refer to. */
  counters: { statements: number; waits: number }
}

export interface Sender extends Counter {
  buildScopeQuery: BuildScopeQuery
  logs: KnownLogs
  /** The time limits for a transaction that expects no rows. */
  limits: TimeLimits
}

export function makeCounter(observer: StatementObserver | undefined): Counter {
  const counters = { statements: 0, waits: 0 }
  return {
    counters,
    onStatement: name => {
      counters.statements += 1
      observer?.onStatement(name)
    },
    onWait: name => {
      counters.waits += 1
      observer?.onWait(name)
    },
    onPacket: (connection, queries) => observer?.onPacket?.(connection, queries),
    watchPacket: observer?.watchPacket,
  }
}

export async function sendOnce<P, R>(
  client: pg.PoolClient,
  sender: Sender,
  scope: Scope,
  statement: Statement<P, R>,
  params: P,
): Promise<R[]> {
  const [rows] = await sendBatch(client, sender, scope, [toQuery(statement, params)])
  return rows as R[]
}

/** A packet without BEGIN and COMMIT is its own transaction. */
export async function sendBatch(
  client: pg.PoolClient,
  sender: Sender,
  scope: Scope,
  steps: readonly Step[],
): Promise<unknown[][]> {
  if (steps.length === 0) return []
  const entries = listEntries(steps)
  if (!areLogsKnown(sender.logs, entries))
    return sendTransaction(client, sender, { scope, work: tx => tx.runSteps(steps), guard: undefined })
  const appending = await startAppending(entries, sender.logs, refuseToRun)
  const opening = sender.buildScopeQuery(scope, choosePlans(steps))
  const [, ...results] = await sendCounted(client, sender, [opening, ...steps, ...appending.steps])
  appending.onCommitted(results.slice(steps.length).map(({ rows }) => rows))
  return results.slice(0, steps.length).map(({ rows }) => rows)
}

/** Nothing may be sent before the packet: it would be a separate transaction. */
const refuseToRun = () => Promise.reject(new Error('the logs of a batch are known'))

export async function sendPipeline<T>(
  client: pg.PoolClient,
  sender: Sender,
  scope: Scope,
  pipeline: Pipeline<T>,
): Promise<T> {
  let opening = [BEGIN, sender.buildScopeQuery(scope, 'force_generic_plan')]
  const run = async (steps: readonly Step[]) => {
    const results = await sendCounted(client, sender, [...opening, ...steps])
    const rows = results.slice(opening.length).map(result => result.rows)
    opening = []
    return rows
  }
  try {
    const { writes, outcome } = pipeline.decide(await readAll(pipeline, run))
    const appending = await startAppending(listEntries(writes), sender.logs, run)
    const results = await sendCounted(client, sender, [...writes, ...appending.steps, COMMIT])
    assert(results.at(-1)?.command === 'COMMIT', 'the transaction was committed')
    appending.onCommitted(results.slice(writes.length, -1).map(({ rows }) => rows))
    return outcome
  } catch (error) {
    await rollBack(client)
    throw error
  }
}

/**
 * The first error determines the response. A connection that cannot roll back is closed, and the pool replaces it.
 */
async function rollBack(client: pg.PoolClient): Promise<void> {
  await sendPacket(client, [ROLLBACK]).catch(() => {
    void (client as unknown as pg.Client).end().catch(() => undefined)
  })
}

export interface Transaction<T> {
  scope: Scope
  work(tx: Db): Promise<T>
  guard: Guard | undefined
}

export async function sendTransaction<T>(
  client: pg.PoolClient,
  sender: Sender,
  { scope, work, guard }: Transaction<T>,
): Promise<T> {
  const opened = openTransaction(client, sender, guard?.scope ?? scope)
  const { tx } = opened
  try {
    if (guard) {
      await guard.check(tx)
      opened.changeScope(scope)
    }
    const value = await work(tx)
    if (!opened.hasBegun()) return value
    const appending = await startAppending(opened.getEntries(), sender.logs, tx.runSteps)
    const results = await sendCounted(client, sender, [...appending.steps, COMMIT])
    const committed = results.at(-1)
    // PostgreSQL answers COMMIT with a rollback if a statement failed, even if `work` caught the error. If that error
    // has a response of its own, it is the one to report.
    const firstError = opened.getFirstError()
    if (committed?.command !== 'COMMIT' && translateDatabaseFault(firstError)) throw firstError
    assert(committed?.command === 'COMMIT', 'the transaction was committed')
    appending.onCommitted(results.slice(0, -1).map(({ rows }) => rows))
    return value
  } catch (error) {
    if (opened.hasBegun()) await rollBack(client)
    throw isFromFailedTransaction(error) ? opened.getFirstError() : error
  }
}

/** Sends nothing before the first statement of the transaction, which travels with BEGIN and the scope. */
function openTransaction(client: pg.PoolClient, sender: Sender, scope: Scope) {
  let hasBegun = false
  /** Sent with the next statement. */
  let next_scope: Scope | undefined = scope
  let next_limits: Step[] = []
  let plans: Plans = 'auto'
  let limits = sender.limits
  let waitingCount = 0
  let sentSteps = 0
  let firstError: unknown
  const entries: LogEntry[] = []
  const takeOpening = (wanted: Plans): Step[] => {
    const isPlanned = isPlannedAsWanted(plans, wanted)
    const opening = [
      ...(hasBegun ? [] : [BEGIN]),
      ...(next_scope
        ? [sender.buildScopeQuery(next_scope, wanted)]
        : isPlanned
          ? []
          : [buildPlansQuery(wanted)]),
      ...next_limits,
    ]
    if (next_scope || !isPlanned) plans = wanted
    next_scope = undefined
    next_limits = []
    hasBegun = true
    return opening
  }
  const runSteps = async (steps: readonly Step[]): Promise<unknown[][]> => {
    if (steps.length === 0) return []
    const opened = takeOpening(choosePlans(steps))
    entries.push(...listEntries(steps))
    sentSteps += steps.length
    const give_up_ms = computeClientLimit(limits, sender.limits, sentSteps)
    try {
      // Packets that are sent while another one is waited for count as the same wait.
      const is_wait = waitingCount++ === 0
      const results = await sendCounted(client, sender, [...opened, ...steps], { is_wait, give_up_ms })
      return results.slice(opened.length).map(({ rows }) => rows)
    } catch (error) {
      firstError ??= addLimits(error, limits)
      throw error
    } finally {
      waitingCount--
      sentSteps -= steps.length
    }
  }
  const tx: Db = {
    run: async <P, R>(statement: Statement<P, R>, params: P) =>
      (await runSteps([toQuery(statement, params)]))[0] as R[],
    runSteps,
    expectRows: rows => {
      const grown = growLimits(sender.limits, rows)
      if (!isWorthSetting(grown, limits)) return
      limits = grown
      next_limits = [buildLimitsQuery(grown)]
    },
  }
  return {
    tx,
    changeScope: (changed: Scope) => {
      next_scope = changed
    },
    hasBegun: () => hasBegun,
    getFirstError: () => firstError,
    getEntries: () => entries,
  }
}

const BEGIN: Step = { name: 'begin', text: 'begin', values: [] }
const COMMIT: Step = { name: 'commit', text: 'commit', values: [] }
const ROLLBACK: Step = { name: 'rollback', text: 'rollback', values: [] }
const NOT_COUNTED = new Set([BEGIN.name, COMMIT.name, PLANS, SCOPE, LIMITS])
/** A commit is not one of our statements, but it takes time. */
const NOT_WATCHED = new Set([BEGIN.name, PLANS, SCOPE, LIMITS])

interface Sending {
  is_wait: boolean
  /** By default the limit of one statement applies. */
  give_up_ms: number
}

function sendCounted(
  client: pg.PoolClient,
  sender: Sender,
  steps: readonly Step[],
  { is_wait = true, give_up_ms = computeClientLimit(sender.limits, sender.limits, 1) }: Partial<Sending> = {},
): Promise<pg.QueryResult[]> {
  for (const { name } of steps) if (!NOT_COUNTED.has(name)) sender.onStatement(name)
  if (is_wait) sender.onWait(steps.at(-1)?.name ?? '')
  sender.onPacket?.(client, steps)
  const sent = sendPacket(client, steps, give_up_ms)
  return sender.watchPacket ? watchPacket(sender.watchPacket, steps, sent) : sent
}

async function watchPacket(
  watch: NonNullable<StatementObserver['watchPacket']>,
  steps: readonly Step[],
  sent: Promise<pg.QueryResult[]>,
): Promise<pg.QueryResult[]> {
  const watched = [...steps.entries()].filter(([, { name }]) => !NOT_WATCHED.has(name))
  const watching = watch(watched.map(([, { name }]) => name))
  try {
    const results = await sent
    watching?.onRows(watched.map(([place]) => results[place]?.rows.length ?? 0))
    return results
  } catch (error) {
    watching?.onError(error)
    throw error
  }
}

function toQuery<P, R>(statement: Statement<P, R>, params: P): Step {
  const values = bindValues(statement as Statement<unknown, unknown>, params as Record<string, unknown>)
  return { name: statement.name, text: statement.text, values, plan: statement.cost.plan }
}
