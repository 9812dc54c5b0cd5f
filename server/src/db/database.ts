// The connection pool. `runOnce` runs one statement with one wait, `withTransaction` several. Both set the scope for the
// transaction only, so nothing stays on a connection. Statements that do not depend on each other travel in one packet:
// the scope with a single statement, BEGIN with the first ones of a transaction.
import pg from 'pg'
import { assert } from '../lib/assert.ts'
import { explainFrozenOrg } from './frozen-orgs.ts'
import { readMigrationState } from './migrate.ts'
import { type Query, sendPacket } from './packet.ts'
import { choosePlans, PLAN_EACH_TIME } from './plans.ts'
import {
  type BuildScopeQuery,
  makeScopeQueryBuilder,
  SCOPE,
  type Scope,
  type ScopeSettings,
} from './scope.ts'
import { makeSharedReads } from './shared-reads.ts'
import { bindValues, type Plan, type Statement } from './statement.ts'
import {
  isConnectionFault,
  isFromFailedTransaction,
  isRetryable,
  translateDatabaseFault,
} from './violations.ts'
import { writeOnce } from './write-check.ts'

export type { Scope } from './scope.ts'

export const DEFAULT_POOL_SIZE = 16
const POOL_WAIT_MS = 5_000
const QUERY_TIMEOUT_MS = 10_000
const MAX_ATTEMPTS = 3
const INT8_OID = 20

const ROLE_POWERS: Query = {
  name: 'role_powers',
  values: [],
  text: `
  select r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as bypasses_rls,
    exists (select from pg_tables t where t.schemaname = 'public' and t.tableowner = r.rolname) as owns_tables
  from pg_roles r where r.rolname = current_user`,
}

export interface Db {
  run<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  /** The rows of each statement, sent together. */
  runSteps(steps: readonly Step[]): Promise<unknown[][]>
}

/** One statement of a batch with its values, made by `makeStep`. */
export interface Step extends Query {
  plan?: Plan | undefined
}

export function makeStep<P, R>(statement: Statement<P, R>, params: P): Step {
  return toQuery(statement, params)
}

/** Steps whose rows decide which steps follow. */
export interface Pipeline<T> {
  reads: readonly Step[]
  decide(rows: readonly unknown[][]): { writes: readonly Step[]; outcome: T }
}

/** The same inside a transaction of several statements. */
export async function runPipelineIn<T>(tx: Db, { reads, decide }: Pipeline<T>): Promise<T> {
  const { writes, outcome } = decide(await tx.runSteps(reads))
  await tx.runSteps(writes)
  return outcome
}

/** Runs first in a transaction, in a scope of its own. If it throws, the transaction is rolled back. */
export interface Guard {
  scope: Scope
  check(tx: Db): Promise<void>
}

/**
 * The same database, with a guard in front of every transaction. Writes that would go around it are refused; single
 * statements are for reading.
 */
export function guardTransactions(db: Database, guard: Guard): Database {
  const refuse = () => Promise.reject(new Error('a guarded operation writes with withTransaction'))
  return {
    ...db,
    runBatch: refuse,
    runPipeline: refuse,
    withTransaction: (scope, work) => db.withTransaction(scope, work, guard),
  }
}

export interface RolePowers {
  name: string
  superuser: boolean
  bypasses_rls: boolean
  owns_tables: boolean
}

/**
 * Is notified of every statement when it is sent. Tests pass one to count statements by name; production has none.
 */
export interface StatementObserver {
  onStatement(name: string): void
  /** A wait for a response begins: of a statement (the last one if several are sent together) or of 'commit'. */
  onWait(name: string): void
  /** A packet is sent on a connection, with its values and, if it begins a transaction, with its scope. */
  onPacket?(connection: object, queries: readonly Query[]): void
}

export interface Database {
  runOnce<P, R>(scope: Scope, statement: Statement<P, R>, params: P): Promise<R[]>
  /**
   * Several statements as one transaction with one wait. Each sees the changes of those before it. Rows per
   * statement.
   */
  runBatch(scope: Scope, steps: readonly Step[]): Promise<unknown[][]>
  /** Reads under locks, then writes what `decide` returns: one transaction, two waits. A retry calls `decide` again. */
  runPipeline<T>(scope: Scope, pipeline: Pipeline<T>): Promise<T>
  /** Like `runOnce`, for a statement that changes nothing: identical concurrent reads share one result. */
  read<P, R>(scope: Scope, statement: Statement<P, R>, params: P): Promise<readonly R[]>
  withTransaction<T>(scope: Scope, work: (tx: Db) => Promise<T>, guard?: Guard): Promise<T>
  /** Names of migrations that the database lacks. Also proves that the database responds. */
  listPendingMigrations(): Promise<string[]>
  /** Commits a write in a new session; rejects if that does not work within the time. */
  checkWrite(now: Date, within_ms: number): Promise<void>
  getCurrentRole(): Promise<RolePowers>
  pool(): { total: number; idle: number; waiting: number }
  /** Statements sent and waits for a response since the start, which performance claims refer to. */
  counters: { statements: number; waits: number }
  close(): Promise<void>
}

export interface PoolSettings extends pg.PoolConfig {
  transactions?: ScopeSettings
}

export function connectDatabase(
  { transactions = {}, ...settings }: PoolSettings,
  onIdleError: (error: Error) => void,
  observer?: StatementObserver,
): Database {
  const pool_settings = buildPoolSettings(settings)
  const pool = new pg.Pool(pool_settings)
  pool.on('error', error => {
    // During shutdown PostgreSQL may close a connection before we do; nothing is lost.
    if (pool.ending) return
    // The driver attaches the whole connection to the error, which would fill the log with noise.
    delete (error as { client?: unknown }).client
    onIdleError(error)
  })
  // The pool does not listen while a client is in use; the running query reports the error to its caller.
  pool.on('connect', client => client.on('error', () => undefined))
  const sender = { ...makeCounter(observer), buildScopeQuery: makeScopeQueryBuilder(transactions) }
  const shared = makeSharedReads()
  const runOnce: Database['runOnce'] = (scope, statement, params) =>
    withClient(pool, scope, client => sendOnce(client, sender, scope, statement, params))
  return {
    counters: sender.counters,
    runOnce,
    runBatch: (scope, steps) =>
      withRetries(() => withClient(pool, scope, client => sendBatch(client, sender, scope, steps))),
    runPipeline: (scope, pipeline) =>
      withRetries(() => withClient(pool, scope, client => sendPipeline(client, sender, scope, pipeline))),
    read: (scope, statement, params) => {
      const key = JSON.stringify([statement.name, scope, params])
      return shared.read(key, () => runOnce(scope, statement, params))
    },
    withTransaction: (scope, work, guard) =>
      withRetries(() =>
        withClient(pool, scope, client => sendTransaction(client, sender, { scope, work, guard })),
      ),
    listPendingMigrations: async () => (await readMigrationState(pool)).pending,
    checkWrite: (now, within_ms) =>
      writeOnce(
        { ...pool_settings, connectionTimeoutMillis: within_ms, query_timeout: within_ms },
        pool,
        scoped => [sender.buildScopeQuery({}), scoped],
        now,
      ),
    getCurrentRole: async () => {
      const sent = withClient(pool, {}, client =>
        sendPacket(client, [sender.buildScopeQuery({}), ROLE_POWERS]),
      )
      return (await sent)[1]?.rows[0]
    },
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

interface Counter extends StatementObserver {
  counters: Database['counters']
}

interface Sender extends Counter {
  buildScopeQuery: BuildScopeQuery
}

function makeCounter(observer: StatementObserver | undefined): Counter {
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
  }
}

/** No startup options: a pooler would refuse them, or apply them to the wrong session. */
function buildPoolSettings(settings: pg.PoolConfig): pg.PoolConfig {
  const pipelined = { pipeline: true }
  return {
    max: DEFAULT_POOL_SIZE,
    connectionTimeoutMillis: POOL_WAIT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'waybill',
    ...settings,
    ...pipelined,
    types: { getTypeParser },
  }
}

const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

async function withClient<T>(
  pool: pg.Pool,
  { org_id }: Scope,
  use: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    return await use(client)
  } catch (thrown) {
    const error = await explainFrozenOrg(client, org_id, thrown)
    broken = isConnectionFault(error)
    throw error
  } finally {
    client.release(broken)
  }
}

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (tried === MAX_ATTEMPTS || !isRetryable(error)) throw error
    }
  }
}

async function sendOnce<P, R>(
  client: pg.PoolClient,
  sender: Sender,
  scope: Scope,
  statement: Statement<P, R>,
  params: P,
): Promise<R[]> {
  const [rows] = await sendBatch(client, sender, scope, [toQuery(statement, params)])
  return rows as R[]
}

/** A packet without BEGIN and COMMIT is a transaction of its own. */
async function sendBatch(
  client: pg.PoolClient,
  sender: Sender,
  scope: Scope,
  steps: readonly Step[],
): Promise<unknown[][]> {
  if (steps.length === 0) return []
  const [, ...results] = await sendCounted(client, sender, [
    sender.buildScopeQuery(scope, choosePlans(steps)),
    ...steps,
  ])
  return results.map(({ rows }) => rows)
}

async function sendPipeline<T>(
  client: pg.PoolClient,
  sender: Sender,
  scope: Scope,
  { reads, decide }: Pipeline<T>,
): Promise<T> {
  try {
    const opening = [BEGIN, sender.buildScopeQuery(scope, 'force_generic_plan')]
    const [, , ...read] = await sendCounted(client, sender, [...opening, ...reads])
    const { writes, outcome } = decide(read.map(({ rows }) => rows))
    const committed = (await sendCounted(client, sender, [...writes, COMMIT])).at(-1)
    assert(committed?.command === 'COMMIT', 'the transaction was committed')
    return outcome
  } catch (error) {
    await rollBack(client)
    throw error
  }
}

/** The first error decides the response. A connection that cannot roll back is closed, and the pool replaces it. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  await sendPacket(client, [ROLLBACK]).catch(() => {
    void (client as unknown as pg.Client).end().catch(() => undefined)
  })
}

interface Transaction<T> {
  scope: Scope
  work(tx: Db): Promise<T>
  guard: Guard | undefined
}

async function sendTransaction<T>(
  client: pg.PoolClient,
  sender: Sender,
  { scope, work, guard }: Transaction<T>,
): Promise<T> {
  let hasBegun = false
  let opening: Step[] = [BEGIN, sender.buildScopeQuery(guard?.scope ?? scope)]
  let waitingCount = 0
  let firstError: unknown
  const runSteps = async (steps: readonly Step[]): Promise<unknown[][]> => {
    if (steps.length === 0) return []
    const opened = opening
    if (choosePlans(steps) === 'force_custom_plan') opened.push(PLAN_EACH_TIME)
    opening = []
    hasBegun = true
    try {
      // Packets that are sent while another one is waited for count as the same wait.
      const isFirst = waitingCount++ === 0
      const results = await sendCounted(client, sender, [...opened, ...steps], isFirst)
      return results.slice(opened.length).map(({ rows }) => rows)
    } catch (error) {
      firstError ??= error
      throw error
    } finally {
      waitingCount--
    }
  }
  const tx: Db = {
    run: async <P, R>(statement: Statement<P, R>, params: P) =>
      (await runSteps([toQuery(statement, params)]))[0] as R[],
    runSteps,
  }
  try {
    if (guard) {
      await guard.check(tx)
      opening = [sender.buildScopeQuery(scope)]
    }
    const value = await work(tx)
    if (!hasBegun) return value
    const [committed] = await sendCounted(client, sender, [COMMIT])
    // PostgreSQL answers COMMIT with a rollback if a statement failed, even if `work` caught the error. If that error
    // has a response of its own, it is the one to report.
    if (committed?.command !== 'COMMIT' && translateDatabaseFault(firstError)) throw firstError
    assert(committed?.command === 'COMMIT', 'the transaction was committed')
    return value
  } catch (error) {
    if (hasBegun) await rollBack(client)
    throw isFromFailedTransaction(error) ? firstError : error
  }
}

const BEGIN: Step = { name: 'begin', text: 'begin', values: [] }
const COMMIT: Step = { name: 'commit', text: 'commit', values: [] }
const ROLLBACK: Step = { name: 'rollback', text: 'rollback', values: [] }
const NOT_COUNTED = new Set([BEGIN.name, COMMIT.name, PLAN_EACH_TIME.name, SCOPE])

function sendCounted(
  client: pg.PoolClient,
  sender: Sender,
  steps: readonly Step[],
  isWait = true,
): Promise<pg.QueryResult[]> {
  for (const { name } of steps) if (!NOT_COUNTED.has(name)) sender.onStatement(name)
  if (isWait) sender.onWait(steps.at(-1)?.name ?? '')
  sender.onPacket?.(client, steps)
  return sendPacket(client, steps)
}

function toQuery<P, R>(statement: Statement<P, R>, params: P): Step {
  const values = bindValues(statement as Statement<unknown, unknown>, params as Record<string, unknown>)
  return { name: statement.name, text: statement.text, values, plan: statement.cost.plan }
}
