// The built program as operators run it: its own process, data directory and port. Everything that a file starts here
// is removed when the file ends, even if a test failed.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRunningPostgres } from '@waybill/embedded-postgres'
import pg from 'pg'
import { inject } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { EMBEDDED_NAME } from '../src/db/open.ts'
import { runProgram as runCommand } from '../src/program.ts'
import { addCleanUp } from './clean-ups.ts'
import { PATIENCE_MS, until } from './patience.ts'

const PROGRAM = join(root, 'server', 'dist', 'main.js')
/** Tests write as fast as they can. A test of the rate limit sets its own. */
const TEST_SETTINGS = { WAYBILL_RATE_LIMIT: 'off' }
/** The environment of the test runner, such as its NODE_ENV, must not reach the program. */
const INHERITED = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
const NEED_PROCESS = new Set(['demo', 'serve', 'witness', 'work'])
const FIRST_KEY = /^ {2}(wb_user_\w+)$/m

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

export interface Service {
  pid: number
  url: string
  port: number
  data_dir: string
  /** The key printed at the first start. */
  key: string | undefined
  stdout(): string
  stderr(): string
  ended: Promise<Ending>
  signal(signal: NodeJS.Signals): void
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

export interface CallOptions {
  key?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

export interface Start {
  data_dir: string
  port?: number
  env?: Record<string, string>
  /** Further arguments, after `serve`. */
  args?: string[]
  /** A shell command that limits the process before the program replaces it, such as `ulimit`. */
  limited_by?: string
}

export { addCleanUp }

export function makeScratchFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'waybill-service-'))
  addCleanUp(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** A data directory before the first start. Its PostgreSQL is stopped after the tests. */
export function makeDataDirectory(): string {
  const data_dir = join(makeScratchFolder(), 'data')
  addCleanUp(() => {
    killPostmaster(data_dir, 'SIGQUIT')
    removeSocketDirectories(data_dir)
  })
  return data_dir
}

/** A killed service leaves its socket directory for the next start to remove, and here there may be none. */
function removeSocketDirectories(data_dir: string): void {
  const cluster = statSync(join(data_dir, 'postgres'), { bigint: true, throwIfNoEntry: false })
  if (!cluster) return
  const prefix = `waybill-${cluster.dev}-${cluster.ino}.db-`
  for (const entry of readdirSync(tmpdir())) {
    if (entry.startsWith(prefix)) rmSync(join(tmpdir(), entry), { recursive: true, force: true })
  }
}

/** Resolves when the ready line is printed. Rejects with the error output if the program ends before that. */
export async function startService(start: Start): Promise<Service> {
  const port = start.port ?? (await findFreePort())
  const env = { ...TEST_SETTINGS, PORT: String(port), ...start.env }
  const child = spawnProgram(['serve', ...(start.args ?? [])], env, start.data_dir, start.limited_by)
  const output = collectOutput(child)
  const ended = waitForEnd(child)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  addCleanUp(() => {
    agent.destroy()
    child.kill('SIGKILL')
  })
  await untilReady(ended, output)
  const url = `http://127.0.0.1:${port}`
  const target = { port, agent }
  return {
    pid: child.pid ?? 0,
    url,
    port,
    data_dir: start.data_dir,
    key: FIRST_KEY.exec(output.stdout())?.[1],
    ...output,
    ended,
    signal: signal => void child.kill(signal),
    call: (method, path, options = {}) => call(target, method, path, options),
  }
}

interface ProgramSettings {
  data_dir: string
  env?: Record<string, string>
  input?: string
}

/**
 * Runs the program until it ends. A command runs in this process, which saves starting another one, unless it listens or is
 * about its process.
 */
export function runProgram(args: string[], settings: ProgramSettings): Promise<Finished> {
  const needsProcess = NEED_PROCESS.has(args[0] ?? '') || settings.env?.NODE_OPTIONS !== undefined
  return needsProcess ? runProcess(args, settings) : runHere(args, settings)
}

async function runHere(
  args: string[],
  { data_dir, env = {}, input = '' }: ProgramSettings,
): Promise<Finished> {
  const finished: Finished = { code: 0, stdout: '', stderr: '' }
  const setCode = (code: number) => {
    finished.code = code
  }
  await runCommand({
    argv: args,
    env: { ...INHERITED, TMPDIR: tmpdir(), WAYBILL_DATA_DIR: data_dir, ...env },
    readStdin: () => input,
    writeOut: text => {
      finished.stdout += text
    },
    writeError: text => {
      finished.stderr += text
    },
    setExitCode: setCode,
    exit: setCode,
    onSignal: () => undefined,
  })
  return finished
}

async function runProcess(args: string[], settings: ProgramSettings): Promise<Finished> {
  const child = spawnProgram(args, settings.env ?? {}, settings.data_dir)
  const output = collectOutput(child)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(settings.input ?? '')
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  const { code } = await waitForEnd(child)
  clearTimeout(timer)
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}

/** Starts the program without waiting. */
export function spawnProgram(
  args: string[],
  env: Record<string, string>,
  data_dir: string,
  limited_by?: string,
): ChildProcess {
  const program = [process.execPath, PROGRAM, ...args]
  const [command = '', ...rest] = limited_by
    ? ['sh', '-c', `${limited_by} && exec "$0" "$@"`, ...program]
    : program
  return spawn(command, rest, {
    cwd: tmpdir(),
    env: { ...INHERITED, TMPDIR: tmpdir(), WAYBILL_DATA_DIR: data_dir, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export function collectOutput(child: ChildProcess): { stdout(): string; stderr(): string } {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  return { stdout: () => stdout, stderr: () => stderr }
}

/** Resolves after the last byte of output, unlike the `exit` event. */
export function waitForEnd(child: ChildProcess): Promise<Ending> {
  return new Promise(resolve => child.once('close', (code, signal) => resolve({ code, signal })))
}

async function untilReady(
  ended: Promise<Ending>,
  output: { stdout(): string; stderr(): string },
): Promise<void> {
  let ending: Ending | undefined
  ended.then(value => {
    ending = value
  })
  await until(() => {
    if (ending) throw new Error(`the service ended (${ending.code ?? ending.signal}): ${output.stderr()}`)
    return /^Waybill is ready: .*\n/m.test(output.stdout())
  })
}

export function call(
  target: { port: number; agent: http.Agent },
  method: string,
  path: string,
  { key, body, headers: more }: CallOptions,
): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    ...more,
  }
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', ...target, method, path, headers }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      response.on('error', reject)
    })
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.end(payload)
  })
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** The process id of the PostgreSQL in a data directory, if one is running. */
export function readPostmasterPid(data_dir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cluster_name=waybill-') ? pid : undefined
  } catch {
    // No file or no such process: PostgreSQL is not running.
    return undefined
  }
}

export function killPostmaster(data_dir: string, signal: NodeJS.Signals): void {
  const pid = readPostmasterPid(data_dir)
  if (pid === undefined) return
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended in the meantime.
  }
}

/** A connection to the embedded database of a running service, as its owner. */
export async function connectOwner(data_dir: string): Promise<pg.Client> {
  const { owner } = JSON.parse(readFileSync(join(data_dir, 'database-credentials.json'), 'utf8'))
  const address = await findRunningPostgres(data_dir, { name: EMBEDDED_NAME, password: owner })
  if (!address) throw new Error(`No PostgreSQL runs in ${data_dir}`)
  const client = new pg.Client({ ...address })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Creates a database in the cluster of the test run, empty or a copy, like one on an operator's server. `options` are
 * further options of `create database`.
 */
export async function createDatabase(
  copy_of?: string,
  options?: string,
): Promise<{ url: string; owner: pg.Client }> {
  const { host, port, user, password, database } = inject('cluster')
  const name = `s_${randomUUID().replaceAll('-', '')}`
  const first = new pg.Client({ host, port, user, password, database })
  await first.connect()
  await first.query(`create database ${name} template ${copy_of ?? 'template1'} ${options ?? ''}`)
  const owner = new pg.Client({ host, port, user, password, database: name })
  owner.on('error', () => undefined)
  await owner.connect()
  addCleanUp(async () => {
    await owner.end()
    await first.query(`drop database ${name} with (force)`)
    await first.end()
  })
  return { url: buildDatabaseUrl(name), owner }
}

export function buildDatabaseUrl(name: string): string {
  const { host, port, user, password } = inject('cluster')
  return `postgres://${user}:${password}@/${name}?host=${host}&port=${port}`
}
