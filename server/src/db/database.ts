// The pool and the two ways to use it: `once` (one statement, one wait) and `inTransaction` (several). Both set
// the org for row-level security for the transaction only, so nothing stays behind on a pooled connection.
// Connections are pipelined: BEGIN and the first statement travel together; `once` is a single packet.
import pg from 'pg'
import { assert } from '../lib/assert.ts'
import { readMigrationState } from './migrate.ts'
import { buildScopeQuery, prepareScope, type ScopeValues, sendScoped } from './scoped-query.ts'
import { makeSharedReads } from './shared-reads.ts'
import { bindValues, type Statement } from './statement.ts'
import { isConnectionFault, isRetryable } from './violations.ts'

const POOL_SIZE = 16
const POOL_WAIT_MS = 5_000
const QUERY_TIMEOUT_MS = 10_000
const SESSION_SETTINGS = {
  // Plans of prepared statements are kept. One made while a table was small would read all of it for ever after; by its
  // indexes, which all begin with the org, a statement costs the same whatever the table has become.
  enable_seqscan: 'off',
  // Before version 18 a plan that cannot avoid what is off above has an enormous estimated cost, and PostgreSQL compiles
  // expensive plans: that took up to 9 s for statements that run for milliseconds.
  jit: 'off',
  TimeZone: 'UTC',
  statement_timeout: '9000',
  lock_timeout: '5000',
  idle_in_transaction_session_timeout: '30000',
}
const MOST_ATTEMPTS = 3
const INT8_OID = 20

const ROLE_POWERS = `
  select r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as bypasses_rls,
    exists (select from pg_tables t where t.schemaname = 'public' and t.tableowner = r.rolname) as owns_tables
  from pg_roles r where r.rolname = current_user`

/** What the transaction may see: rows of one org, or what a presented key or a signed-in user leads to. */
export interface Scope {
  org_id?: string
  key_hash?: string
  /** Set only by the worker while it claims jobs of every org. */
  worker?: true
  /** Somebody who has been recognised: their own rows, in every org. */
  user_id?: string
  /** Set only while somebody is being signed in or provisioned: the tables of identity, and nothing else. */
  signin?: true
}

export interface Db {
  run<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  /** The rows of each statement, sent together. */
  runSteps(steps: readonly Step[]): Promise<unknown[][]>
}

/** One statement of a flight with its values, made by `step`. */
export type Step = pg.QueryConfig

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

export interface RolePowers {
  name: string
  superuser: boolean
  bypasses_rls: boolean
  owns_tables: boolean
}

/**
 * Hears of everything that is sent, at the moment it is sent. Tests hand one in to count statements by name; in
 * production there is none.
 */
export interface StatementObserver {
  onStatement(name: string): void
  /** Somebody begins to wait for an answer: for that of a statement (the last, of several sent together), or 'commit'. */
  onWait(name: string): void
}

export interface Database {
  runOnce<P, R>(scope: Scope, statement: Statement<P, R>, params: P): Promise<R[]>
  /** Several statements as one transaction and one wait; each sees what those before it did. Rows per statement. */
  runBatch(scope: Scope, steps: readonly Step[]): Promise<unknown[][]>
  /** Reads under locks, then writes what the decision says: one transaction, two waits. `decide` may run again. */
  runPipeline<T>(scope: Scope, pipeline: Pipeline<T>): Promise<T>
  /** Like `once`, for a statement that changes nothing: identical reads at the same time share one answer. */
  read<P, R>(scope: Scope, statement: Statement<P, R>, params: P): Promise<readonly R[]>
  withTransaction<T>(scope: Scope, work: (tx: Db) => Promise<T>): Promise<T>
  /** Names of migrations this program ships and the database lacks; also the proof that it answers. */
  listPendingMigrations(): Promise<string[]>
  getCurrentRole(): Promise<RolePowers>
  pool(): { total: number; idle: number; waiting: number }
  /** Statements sent and waits for an answer since the start: what performance claims are counted in. */
  counters: { statements: number; waits: number }
  close(): Promise<void>
}

export function connectDatabase(
  settings: pg.PoolConfig,
  onIdleError: (error: Error) => void,
  observer?: StatementObserver,
): Database {
  const pool = new pg.Pool(buildPoolSettings(settings))
  pool.on('error', error => {
    // On the way down PostgreSQL may end a connection before our goodbye reaches it: nothing is lost.
    if (pool.ending) return
    // The driver hangs the whole connection on the error; in the log that is pages without a meaning.
    delete (error as { client?: unknown }).client
    onIdleError(error)
  })
  // While a client is in use the pool does not listen; the query that was under way tells its caller.
  pool.on('connect', client => client.on('error', () => undefined))
  const tally = makeTally(observer)
  const shared = makeSharedReads()
  const runOnce: Database['runOnce'] = (scope, statement, params) =>
    withClient(pool, client => sendOnce(client, tally, scope, statement, params))
  return {
    counters: tally.counters,
    runOnce: runOnce,
    runBatch: (scope, steps) =>
      withRetries(() => withClient(pool, client => sendBatch(client, tally, scope, steps))),
    runPipeline: (scope, pipeline) =>
      withRetries(() => withClient(pool, client => sendPipeline(client, tally, scope, pipeline))),
    read: (scope, statement, params) => {
      const key = JSON.stringify([statement.name, scope, params])
      return shared.read(key, () => runOnce(scope, statement, params))
    },
    withTransaction: (scope, work) =>
      withRetries(() => withClient(pool, client => sendTransaction(client, tally, scope, work))),
    listPendingMigrations: async () => (await readMigrationState(pool)).pending,
    getCurrentRole: async () => (await pool.query(ROLE_POWERS)).rows[0],
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

interface Tally extends StatementObserver {
  counters: Database['counters']
}

function makeTally(observer: StatementObserver | undefined): Tally {
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
  }
}

/** What every session of the pool is started with, as PostgreSQL takes it. */
export const SESSION_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

function buildPoolSettings(settings: pg.PoolConfig): pg.PoolConfig {
  const pipelined = { pipeline: true }
  return {
    max: POOL_SIZE,
    connectionTimeoutMillis: POOL_WAIT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'waybill',
    ...settings,
    ...pipelined,
    onConnect: prepareScope,
    options: `${SESSION_OPTIONS} ${settings.options ?? ''}`.trim(),
    types: { getTypeParser },
  }
}

const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    return await use(client)
  } catch (error) {
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
      if (tried === MOST_ATTEMPTS || !isRetryable(error)) throw error
    }
  }
}

async function sendOnce<P, R>(
  client: pg.PoolClient,
  tally: Tally,
  scope: Scope,
  statement: Statement<P, R>,
  params: P,
): Promise<R[]> {
  tally.onStatement(statement.name)
  tally.onWait(statement.name)
  const [rows] = await sendScoped(client, toScopeValues(scope), [toQuery(statement, params)])
  return rows as R[]
}

async function sendBatch(
  client: pg.PoolClient,
  tally: Tally,
  scope: Scope,
  steps: readonly Step[],
): Promise<unknown[][]> {
  for (const { name = '' } of steps) tally.onStatement(name)
  tally.onWait(steps.at(-1)?.name ?? '')
  return sendScoped(client, toScopeValues(scope), steps)
}

async function sendPipeline<T>(
  client: pg.PoolClient,
  tally: Tally,
  scope: Scope,
  { reads, decide }: Pipeline<T>,
): Promise<T> {
  const send = (step: Step) => {
    tally.onStatement(step.name ?? '')
    return client.query(step)
  }
  const opening = [client.query('begin'), client.query(buildScopeQuery(toScopeValues(scope)))]
  try {
    tally.onWait(reads.at(-1)?.name ?? '')
    const [, ...read] = await Promise.all([Promise.all(opening), ...reads.map(send)])
    const { writes, outcome } = decide(read.map(({ rows }) => rows))
    // After a statement that failed, the commit is a rollback.
    const ending = [...writes.map(send), client.query('commit')]
    tally.onWait('commit')
    const committed = (await Promise.all(ending)).at(-1)
    assert(committed?.command === 'COMMIT', 'the transaction was committed')
    return outcome
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function sendTransaction<T>(
  client: pg.PoolClient,
  tally: Tally,
  scope: Scope,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  // Two messages that cannot fail to be understood: what follows them is never outside of the transaction or its scope.
  const opened = Promise.all([client.query('begin'), client.query(buildScopeQuery(toScopeValues(scope)))])
  // Awaited below; without this a failure before then would count as unhandled.
  opened.catch(() => undefined)
  let under_way = 0
  const send = async (step: Step) => {
    tally.onStatement(step.name ?? '')
    // Statements sent together are waited for together.
    if (under_way++ === 0) tally.onWait(step.name ?? '')
    try {
      return (await client.query(step)).rows
    } finally {
      under_way--
    }
  }
  const tx: Db = {
    run: (statement, params) => send(toQuery(statement, params)),
    runSteps: steps => Promise.all(steps.map(send)),
  }
  try {
    const value = await work(tx)
    await opened
    tally.onWait('commit')
    const committed = await client.query('commit')
    assert(committed.command === 'COMMIT', 'the transaction was committed')
    return value
  } catch (error) {
    // The first error is the one to report; a connection too broken to roll back is discarded by withClient.
    await client.query('rollback').catch(() => undefined)
    await opened
    throw error
  }
}

function toScopeValues({ org_id, key_hash, worker, user_id, signin }: Scope): ScopeValues {
  return [org_id ?? '', key_hash ?? '', worker ? 'a' : '', user_id ?? '', signin ? 'a' : '']
}

function toQuery<P, R>(statement: Statement<P, R>, params: P): pg.QueryConfig {
  const values = bindValues(statement as Statement<unknown, unknown>, params as Record<string, unknown>)
  return { name: statement.name, text: statement.text, values }
}
