// The application for tests: real routes, a real PostgreSQL database of its own, a clock that only tests move, and
// callers of every role. Tests use its public interface.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { inject } from 'vitest'
import { type App, makeApp, TIME_LIMITS, type TimeLimits } from '../src/app.ts'
import { LISTENER } from '../src/db/clients.ts'
import { connectDatabase, type Database, type PoolSettings } from '../src/db/database.ts'
import { type DatabaseClock, openDatabaseClock } from '../src/db/database-clock.ts'
import type { ScopeSettings } from '../src/db/scope.ts'
import type { JobKind } from '../src/delivery/job.ts'
import { openDiskEvidence } from '../src/evidence/disk.ts'
import type { EvidenceStore } from '../src/evidence/evidence.ts'
import type { WebApp } from '../src/http/web-app.ts'
import { JQ_LIMITS, type JqEngine, type JqLimits, makeJqEngine } from '../src/jq/engine.ts'
import type { Clock } from '../src/lib/clock.ts'
import { type Log, makeLog } from '../src/lib/log.ts'
import { type Config, readConfig } from '../src/settings/config.ts'
import { APP_PASSWORD, TEMPLATE_DATABASE } from './cluster.ts'
import { findContractProblems, watchOperations } from './contract-check.ts'
import { PATIENT_EGRESS } from './egress.ts'
import { evaluateAll } from './evaluate-all.ts'
import { refuseSecondConnection } from './held-connections.ts'
import { openDatabase } from './kept-database.ts'
import { PATIENCE_MS } from './patience.ts'
import { BEGINNING_MS } from './seed.ts'
import { statementObserver } from './statement-log.ts'
import type { Tracing } from './tracing.ts'

export const BASE_URL = 'http://waybill.test'
export const SECRET_KEY = 'the secret key of all of the tests'
export { ORG, OTHER_ORG, OUTSIDER, ROLE_USERS } from './seed.ts'

export interface TestClock extends Clock {
  advance(ms: number): void
}

export interface TestResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Record<string, unknown>
  text: string
  /** Only from clients that keep the raw bytes. */
  bytes?: Buffer
}

/** An API client, with or without a key. Paths are relative to /api/v2. */
export interface Client {
  key: string | undefined
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>
  get(path: string): Promise<TestResponse>
  put(path: string, body?: unknown): Promise<TestResponse>
  post(path: string, body?: unknown): Promise<TestResponse>
  patch(path: string, body?: unknown): Promise<TestResponse>
  delete(path: string, body?: unknown): Promise<TestResponse>
  /** Multipart: strings become fields, `makeFile(...)` values become files. */
  form(
    method: string,
    path: string,
    parts: Record<string, string | Blob>,
    headers?: Record<string, string>,
  ): Promise<TestResponse>
}

export interface TestApp {
  /** The name of its database. */
  database: string
  server: FastifyInstance
  app: App
  db: Database
  /** In a folder that is removed with the application. */
  evidence: EvidenceStore
  evidence_dir: string
  jq: JqEngine
  /** A connection as the owner of the schema, which bypasses row-level security. */
  owner: pg.Client
  clock: TestClock
  admin: Client
  member: Client
  snapshotter: Client
  reader: Client
  outsider: Client
  anonymous: Client
  makeClientWith(key: string | undefined): Client
  /** Runs statements as the owner and returns the rows. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  readEvents(kind?: string): Promise<{ kind: string; actor: string; data: Record<string, unknown> }[]>
  /** Runs pending evaluations, and records expired allow-list entries and stale environments, as the service does. */
  evaluate(): Promise<void>
  /** Looks at the clock of the database, as the service does every few seconds. Only with `process_clock`. */
  measureClock(): Promise<void>
  stop(): Promise<void>
}

export interface TestOptions {
  /** Another process of the same service: uses the database and the evidence of this application, which outlives it. */
  beside?: Pick<TestApp, 'database' | 'evidence_dir'>
  /** Where its clock stands, unless `process_clock` is set. */
  now_ms?: number
  /** Whether it is notified of changes that other processes make, as in production. */
  listens?: boolean
  /** The clock of its process: the application takes the time from the database, as in production. */
  process_clock?: TestClock
  settings?: Record<string, string>
  /** The port of a proxy on this host through which it reaches the database. */
  database_port?: number
  job_kinds?: Record<string, JobKind>
  /** The CA that signs the certificates of TLS receivers. */
  trusted_ca?: string
  web_app?: WebApp | undefined
  /** For tests of limits. */
  time_limits?: Partial<TimeLimits>
  pool?: { max?: number; limits: NonNullable<ScopeSettings['settings']> }
  jq_limits?: Partial<JqLimits>
  /** With OpenTelemetry; see `makeTracing`. */
  tracing?: Tracing
  /** Another evidence store than the folder. */
  evidence?: EvidenceStore
  /** By default nothing is logged. */
  log?: Log
}

/** A busy machine may slow the database down without failing a test. */
export const PATIENT_TRANSACTIONS = {
  statement_timeout: String(PATIENCE_MS),
  lock_timeout: String(PATIENCE_MS),
  idle_in_transaction_session_timeout: String(PATIENCE_MS),
}
const PATIENT_POOL = {
  connectionTimeoutMillis: PATIENCE_MS,
  query_timeout: PATIENCE_MS,
  transactions: { settings: PATIENT_TRANSACTIONS },
}

export const PATIENT_LIMITS: TimeLimits = {
  egress: PATIENT_EGRESS,
  ci_issuer_ms: PATIENCE_MS,
  identity_provider_ms: PATIENCE_MS,
  witness_ms: PATIENCE_MS,
  audit_sink_ms: PATIENCE_MS,
  ready: { within_ms: PATIENCE_MS, fresh_ms: 0, evidence_fresh_ms: 0 },
  clients: {
    headers_ms: PATIENCE_MS,
    pace_ms: TIME_LIMITS.clients.pace_ms,
    silent_ms: PATIENCE_MS,
    handler_ms: PATIENCE_MS,
    keep_alive_ms: PATIENCE_MS,
    check_every_ms: TIME_LIMITS.clients.check_every_ms,
    room_wait_ms: PATIENCE_MS,
  },
  large_report_wait_ms: PATIENCE_MS,
  // Stopping must not wait for what a test leaves open.
  finish_ms: TIME_LIMITS.finish_ms,
  streams: { poll_ms: 20, beat_ms: PATIENCE_MS },
}

/** Programs get the same processor time as in production, but may wait longer for it on a busy machine. */
export const PATIENT_JQ = { ...JQ_LIMITS, wait_ms: PATIENCE_MS, hang_ms: PATIENCE_MS }

const EVENTS = 'select kind, actor, data from events where $1::text is null or kind = $1 order by event_id'

export async function startTestApp(options: TestOptions = {}): Promise<TestApp> {
  const address = inject('cluster')
  const { name: database, owner, db, giveBack } = await connectTo(address, options)
  const app_address = buildAppAddress(address, database, options)
  const database_clock = await openClock(db, options.process_clock)
  const clock = database_clock ?? makeTestClock(options.now_ms)
  const evidence_dir = options.beside?.evidence_dir ?? mkdtempSync(join(tmpdir(), 'waybill-evidence-'))
  const evidence = await openDiskEvidence({ root: evidence_dir, newName: randomUUID, now: clock.now() })
  const jq = makeJqEngine({ ...PATIENT_JQ, ...options.jq_limits }, clock)
  const app = await makeApp({
    config: makeTestConfig(options.settings ?? {}),
    db: refuseSecondConnection(db),
    db_settings: buildPoolSettings(app_address, options),
    connectListener: options.listens ? () => connectListener(app_address) : undefined,
    evidence: options.evidence ?? evidence,
    jq,
    clock,
    findClockProblem: database_clock?.findProblem,
    log: options.log ?? makeLog('silent'),
    tracer: options.tracing?.tracer,
    version: '0.0.0-test',
    base_url: options.settings?.WAYBILL_BASE_URL ?? BASE_URL,
    job_kinds: options.job_kinds ?? {},
    secret_key: SECRET_KEY,
    trusted_ca: options.trusted_ca,
    time_limits: { ...PATIENT_LIMITS, ...options.time_limits },
    web_app: options.web_app,
  })
  watchOperations(app.server)
  await app.server.ready()
  const makeClientWith = (key: string | undefined) => makeClient(app.server, key)
  const sql = async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows
  return {
    database,
    server: app.server,
    app,
    db,
    evidence: options.evidence ?? evidence,
    evidence_dir,
    jq,
    owner,
    clock,
    ...makeCallers(makeClientWith),
    makeClientWith,
    sql,
    readEvents: async kind =>
      (await sql(EVENTS, [kind ?? null])) as Awaited<ReturnType<TestApp['readEvents']>>,
    evaluate: () => evaluateAll(refuseSecondConnection(db), clock),
    measureClock: async () => database_clock?.measure(),
    stop: async () => {
      await app.stop()
      await jq.close()
      const problem = options.beside ? undefined : await findUnloggedWrites(owner)
      await giveBack()
      if (!options.beside) rmSync(evidence_dir, { recursive: true, force: true })
      if (problem) throw problem
    },
  }
}

function connectTo(address: pg.ClientConfig, options: TestOptions) {
  const observer = options.tracing?.observer ?? statementObserver
  const connect = (name: string) => {
    const app_address = buildAppAddress(address, name, options)
    return connectDatabase(buildPoolSettings(app_address, options), () => undefined, observer)
  }
  return openDatabase(
    { address: { ...address }, template: TEMPLATE_DATABASE, connect },
    { existing: options.beside?.database, isOrdinary: hasOrdinaryConnections(options) },
  )
}

function makeCallers(makeClientWith: (key: string | undefined) => Client) {
  const { admin, member, snapshotter, reader, outsider } = inject('seeded_keys')
  return {
    admin: makeClientWith(admin),
    member: makeClientWith(member),
    snapshotter: makeClientWith(snapshotter),
    reader: makeClientWith(reader),
    outsider: makeClientWith(outsider),
    anonymous: makeClientWith(undefined),
  }
}

function buildAppAddress(
  address: pg.ClientConfig,
  database: string,
  { database_port: port }: TestOptions,
): pg.ClientConfig {
  const through = port === undefined ? {} : { host: '127.0.0.1', port }
  return { ...address, ...through, database, user: 'waybill_app', password: APP_PASSWORD }
}

/** Whatever a test did: every event that was recorded has a leaf, and the numbers of each log have no gap. */
async function findUnloggedWrites(owner: pg.Client): Promise<Error | undefined> {
  const { rows } = await owner.query(`
    select 'event without a leaf: ' || e.kind as problem from events e where e.salt is not null
      and not exists (select from log_leaves l where l.org_id = e.org_id and l.event_id = e.event_id)
    union all
    select 'gap in the log of ' || h.org_id from log_heads h
      left join log_leaves l on l.org_id = h.org_id and l.epoch = h.epoch
    group by h.org_id, h.size having count(l.seq) <> h.size or max(l.seq) is distinct from h.size - 1`)
  return rows.length > 0 ? new Error(`not every write has its leaf: ${JSON.stringify(rows)}`) : undefined
}

/** Only a database with such connections is kept for the next application. */
function hasOrdinaryConnections({ pool, database_port, tracing, process_clock }: TestOptions): boolean {
  return [pool, database_port, tracing, process_clock].every(option => option === undefined)
}

function buildPoolSettings(app_address: pg.ClientConfig, options: TestOptions): PoolSettings {
  const { limits, ...pool } = { limits: {}, ...options.pool }
  const transactions = { settings: { ...PATIENT_TRANSACTIONS, ...limits } }
  return { ...app_address, ...PATIENT_POOL, ...pool, transactions }
}
async function connectListener(address: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...address, ...LISTENER })
  await client.connect()
  return client
}

function makeTestConfig(settings: Record<string, string>): Config {
  // Nothing listens there, so that no test uses the name server of the machine.
  const WAYBILL_DNS_SERVER = '127.0.0.1:9'
  return readConfig({ WAYBILL_RATE_LIMIT: 'off', WAYBILL_ROLE: 'serve', WAYBILL_DNS_SERVER, ...settings })
}

async function openClock(
  db: Database,
  process_clock: TestClock | undefined,
): Promise<(DatabaseClock & TestClock) | undefined> {
  if (!process_clock) return undefined
  const opened = await openDatabaseClock(
    (statement, params) => db.runOnce({}, statement, params),
    process_clock,
  )
  return { ...opened, advance: process_clock.advance }
}

/** Stands still until a test moves it, so that caches and limits do not depend on the speed of the machine. */
export function makeTestClock(start_ms = BEGINNING_MS): TestClock {
  let now_ms = start_ms
  return {
    now: () => new Date(now_ms),
    monotonic_ms: () => now_ms,
    advance: ms => {
      now_ms += ms
    },
  }
}

export function makeClient(server: FastifyInstance, key: string | undefined): Client {
  const call: Client['call'] = async (method, path, body, headers = {}) => {
    const answer = await server.inject({
      method: method as 'GET',
      url: path.startsWith('/api') || path === '/ready' ? path : `/api/v2${path}`,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
    const problems = findContractProblems(answer)
    if (problems) throw new Error(problems)
    return toTestResponse(answer)
  }
  return {
    key,
    call,
    get: path => call('GET', path),
    put: (path, body) => call('PUT', path, body),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path, body) => call('DELETE', path, body),
    form: async (method, path, parts, headers = {}) => {
      const encoded = new Response(buildForm(parts))
      const payload = Buffer.from(await encoded.arrayBuffer())
      const type = { 'content-type': encoded.headers.get('content-type') ?? '' }
      return call(method, path, payload, { ...type, ...headers })
    },
  }
}

/** A file part as clients send it. */
export function makeFile(content: string): Blob {
  return new Blob([content], { type: 'application/octet-stream' })
}

function buildForm(parts: Record<string, string | Blob>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, `${name}.bin`)
  }
  return form
}

function toTestResponse(answer: {
  statusCode: number
  body: string
  rawPayload: Buffer
  headers: Record<string, unknown>
}): TestResponse {
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json')
  return {
    status: answer.statusCode,
    body: isJson && answer.body !== '' ? JSON.parse(answer.body) : answer.body,
    headers: answer.headers,
    text: answer.body,
    bytes: answer.rawPayload,
  }
}
