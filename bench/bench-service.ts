// Starts the service for benchmarks as operators run it: the built program in its own process, with an empty data
// directory and the embedded PostgreSQL with its durable defaults. Only the rate limit and the request log are off.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type DatabaseAddress, findRunningPostgres, startEmbeddedPostgres } from '@waybill/embedded-postgres'
import { EMBEDDED_NAME } from '../server/src/db/open.ts'

export const ROOT = process.env.BENCH_ROOT ?? process.cwd()
export const ORG = 'demo-org'
const READY_LINE = /^Waybill is ready/
const KEY_LINE = /^ {2}(wb_\S+)$/

export interface BenchService {
  pid: number
  port: number
  data_dir: string
  key: string
  /** Addresses of the running database, for the application role and for the schema owner. */
  readDatabaseAddresses(): Promise<{ app: DatabaseAddress; owner: DatabaseAddress }>
  /** The path is relative to /api/v2. Throws unless the request succeeds. */
  put(path: string, body: unknown): Promise<void>
  post(path: string, body: unknown): Promise<void>
  /** The sum of a counter in /metrics. */
  readCounterTotal(name: string): Promise<number>
  stop(): Promise<void>
}

/**
 * `BENCH_NODE_ARGS` is passed to the service, for profiling: `BENCH_NODE_ARGS=--cpu-prof npm run bench -- begin`. Only the
 * first process of a database prints a key; another one needs to know it.
 */
export async function startService(
  more: NodeJS.ProcessEnv = {},
  { known_key, program = join(ROOT, 'server/dist/main.js') }: { known_key?: string; program?: string } = {},
): Promise<BenchService> {
  const data_dir = await makeScratch()
  const port = await findFreePort()
  const node_args = [...readStartFlags(), ...(process.env.BENCH_NODE_ARGS ?? '').split(' ')].filter(Boolean)
  const child = spawn(process.execPath, [...node_args, program, 'serve'], {
    env: { ...buildServiceEnvironment(data_dir, port), ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { key = known_key } = await waitUntilReady(child)
  if (key === undefined || child.pid === undefined) throw new Error('The first start printed no key')
  return {
    pid: child.pid,
    port,
    data_dir,
    key,
    readDatabaseAddresses: () => readDatabaseAddresses(data_dir),
    put: (path, body) => send({ port, key }, 'PUT', path, body),
    post: (path, body) => send({ port, key }, 'POST', path, body),
    readCounterTotal: name => readCounter(port, name),
    stop: async () => {
      await stopProcess(child)
      await rm(data_dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The arguments that `npm start` passes to Node. */
function readStartFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return (/\bnode ((?:--\S+ )*)/.exec(scripts.start)?.[1] ?? '').split(' ')
}

/** A PostgreSQL with its own default settings, as an operator's server has them, for `startService`. */
export async function startDefaultPostgres() {
  const data_dir = await makeScratch()
  const password = 'bench'
  const settings = { autovacuum_naptime: '1min' }
  const running = await startEmbeddedPostgres({ data_dir, name: EMBEDDED_NAME, password, settings })
  const { host, port, user, database } = running.address
  return {
    data_dir,
    address: running.address,
    url: `postgres://${user}:${password}@/${database}?host=${host}&port=${port}`,
    stop: async () => {
      await running.stop()
      await rm(data_dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function makeScratch(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'waybill-bench-'))
}

export function buildServiceEnvironment(data_dir: string, port: number): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    WAYBILL_DATA_DIR: data_dir,
    WAYBILL_ORG: ORG,
    WAYBILL_RATE_LIMIT: 'off',
    WAYBILL_LOG_LEVEL: 'warn',
  }
}

/** Resolves when the service prints that it is ready. Only a first start prints a key after that. */
export async function waitUntilReady(
  child: ChildProcess,
): Promise<{ ready_ms: number; key: string | undefined }> {
  const { stdout } = child
  if (!stdout) throw new Error('The service needs a pipe for its output')
  let ready_ms: number | undefined
  let key: string | undefined
  const lines = createInterface({ input: stdout })
  for await (const line of lines) {
    if (READY_LINE.test(line)) {
      ready_ms = performance.now()
      // A first start prints the key in a second write right after this one; later starts do not.
      setTimeout(() => lines.close(), 100)
    }
    key ??= KEY_LINE.exec(line)?.[1]
  }
  stdout.resume()
  if (ready_ms === undefined) throw new Error('The service exited before it was ready')
  return { ready_ms, key }
}

/** Waits until its output is closed: npm exits immediately, but the service that it started exits a little later. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

async function readDatabaseAddresses(data_dir: string) {
  const credentials = JSON.parse(readFileSync(join(data_dir, 'database-credentials.json'), 'utf8'))
  const owner = await findRunningPostgres(data_dir, { name: EMBEDDED_NAME, password: credentials.owner })
  if (!owner) throw new Error('No PostgreSQL runs in the data directory of the service')
  return { owner, app: { ...owner, user: 'waybill_app', password: credentials.app as string } }
}

async function send(
  { port, key }: Pick<BenchService, 'port' | 'key'>,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
}

async function readCounter(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
