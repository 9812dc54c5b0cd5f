// The connection pool. `runOnce` runs one statement with one wait, `withTransaction` several. Both set the scope for the
// transaction only, so nothing stays on a connection. Statements that do not depend on each other travel in one packet:
// the scope with a single statement, BEGIN with the first ones of a transaction.
import pg from 'pg'
import { TYPES } from './column-values.ts'
import { explainFrozenOrg } from './frozen-orgs.ts'
import { readMigrationState } from './migrate.ts'
import { type Query, sendPacket } from './packet.ts'
import { makeScopeQueryBuilder, readTimeLimits, type Scope, type ScopeSettings } from './scope.ts'
import {
  type Counter,
  type Db,
  type Guard,
  makeCounter,
  type Pipeline,
  type Sender,
  type StatementObserver,
  type Step,
  sendBatch,
  sendOnce,
  sendPipeline,
  sendTransaction,
} from './send.ts'
import { makeSharedReads } from './shared-reads.ts'
import type { Statement } from './statement.ts'
import { addLimits, isConnectionFault, isRetryable } from './violations.ts'
import { writeOnce } from './write-check.ts'

export type { AppendContext, Appending, AppendToLog, LogEntry } from './log-entries.ts'
export type { Scope } from './scope.ts'
export type { Db, Guard, Pipeline, StatementObserver, Step } from './send.ts'
export { makeStep, readPipelineIn, runPipelineIn } from './send.ts'

export const DEFAULT_POOL_SIZE = 16
const POOL_WAIT_MS = 5_000
const QUERY_TIMEOUT_MS = 10_000
const MAX_ATTEMPTS = 3

const ROLE_POWERS: Query = {
  name: 'role_powers',
  values: [],
  text: `
  select r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as bypasses_rls,
    exists (select from pg_tables t where t.schemaname = 'public' and t.tableowner = r.rolname) as owns_tables
  from pg_roles r where r.rolname = current_user`,
}

/**
 * The same database, with a guard in front of every transaction. Writes that would bypass it are rejected; single
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

interface RolePowers {
  name: string
  superuser: boolean
  bypasses_rls: boolean
  owns_tables: boolean
}

export interface Database {
  runOnce<P, R>(scope: Scope, statement: Statement<P, R>, params: P): Promise<R[]>
  /**
   * Runs several statements as one transaction with one wait. Each sees the changes of those before it. Returns the
   * rows of each statement.
   */
  runBatch(scope: Scope, steps: readonly Step[]): Promise<unknown[][]>
  /** Reads under locks, then writes what `decide` returns: one transaction, two waits. A retry calls `decide` again. */
  runPipeline<T>(scope: Scope, pipeline: Pipeline<T>): Promise<T>
  /** Like `runOnce`, for a statement that changes nothing: identical concurrent reads share one result. */
  read<P, R>(scope: Scope, statement: Statement<P, R>, params: P): Promise<readonly R[]>
  withTransaction<T>(scope: Scope, work: (tx: Db) => Promise<T>, guard?: Guard): Promise<T>
  /** Names of migrations that the database lacks. Also proves that the database responds. */
  listPendingMigrations(): Promise<string[]>
  /** Commits a write in a new session; rejects if that takes longer than the time given. */
  checkWrite(now: Date, within_ms: number): Promise<void>
  getCurrentRole(): Promise<RolePowers>
  pool(): { total: number; idle: number; waiting: number }
  counters: Counter['counters']
  /** Counts the statements and waits of another thread of this process. */
  countSent(sent: { statements: readonly string[]; waits: readonly string[] }): void
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
  const sender: Sender = {
    ...makeCounter(observer),
    buildScopeQuery: makeScopeQueryBuilder(transactions),
    limits: readTimeLimits(transactions),
    logs: new Map(),
  }
  const withPooled = <T>(scope: Scope, use: (client: pg.PoolClient) => Promise<T>) =>
    withClient(pool, scope, client =>
      use(client).catch(error => {
        throw addLimits(error, sender.limits)
      }),
    )
  const shared = makeSharedReads()
  const runOnce: Database['runOnce'] = (scope, statement, params) =>
    withPooled(scope, client => sendOnce(client, sender, scope, statement, params))
  return {
    counters: sender.counters,
    countSent: ({ statements, waits }) => {
      for (const name of statements) sender.onStatement(name)
      for (const name of waits) sender.onWait(name)
    },
    runOnce,
    runBatch: (scope, steps) =>
      withRetries(() => withPooled(scope, client => sendBatch(client, sender, scope, steps))),
    runPipeline: (scope, pipeline) =>
      withRetries(() => withPooled(scope, client => sendPipeline(client, sender, scope, pipeline))),
    read: (scope, statement, params) => {
      const key = JSON.stringify([statement.name, scope, params])
      return shared.read(key, () => runOnce(scope, statement, params))
    },
    withTransaction: (scope, work, guard) =>
      withRetries(() => withPooled(scope, client => sendTransaction(client, sender, { scope, work, guard }))),
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
    types: TYPES,
  }
}

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
