// Shared by the tests of this folder: servers, directories and service processes that are cleaned up after each test.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { locateBinaries } from './binaries.ts'
import type { DatabaseAddress } from './database-address.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'
import { isReachable } from './file-system.ts'
import { ensureReachableBinaries } from './reachable-binaries.ts'

export const is_root = process.getuid?.() === 0
export const nobody = { uid: 65534, gid: 65534 }
export const login = { name: 'waybill', password: 'correct horse battery staple' }
export const settings = { fsync: 'off', full_page_writes: 'off' }

/** Runs `cleanUp` after the current test, in reverse order of the calls. */
export function runAfterTest(cleanUp: () => unknown): void {
  onTestFinished(async () => {
    await cleanUp()
  })
}

export async function start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const running = await startEmbeddedPostgres(options)
  runAfterTest(() => running.stop())
  return running
}

export async function makeScratch(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waybill-test-'))
  runAfterTest(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

export async function queryRows(address: DatabaseAddress, sql: string): Promise<unknown[]> {
  const client = new Client({ ...address, ssl: false })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export async function isAnswering(address: DatabaseAddress): Promise<boolean> {
  return queryRows(address, 'select 1').then(
    () => true,
    () => false,
  )
}

export async function readMode(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777
}

/** A zombie counts as dead. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || (await readFile(`/proc/${pid}/cmdline`, 'utf8')) !== ''
}

export interface ServiceChild {
  child: ChildProcess
  pid: number
  address: DatabaseAddress
}

const CHILD = `
import { startEmbeddedPostgres } from './embedded.ts'
const running = await startEmbeddedPostgres(JSON.parse(process.argv[2]))
process.once('SIGTERM', async () => { await running.stop(); process.exit(0) })
process.stdout.write(JSON.stringify({ pid: running.pid(), address: running.address }) + '\\n')
setInterval(() => {}, 1000)
`

/** Starts the service in its own process, so that it can be killed; `user` runs it as another user. */
export async function startChild(
  options: EmbeddedOptions,
  user: typeof nobody | undefined,
): Promise<ServiceChild> {
  const directory = await makeScratch()
  const program = path.join(directory, 'service.mjs')
  await build({
    stdin: { contents: CHILD, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url)" },
  })
  await chmod(directory, 0o755)
  const installed = locateBinaries(process.platform, process.arch)
  const native_dir = await ensureReachableBinaries(installed, user, options.data_dir)
  const node = path.join(directory, 'node')
  const is_closed = user !== undefined && !(await isReachable(process.execPath, user))
  if (is_closed) await copyFile(process.execPath, node)
  const child = spawn(
    is_closed ? node : process.execPath,
    [program, JSON.stringify({ native_dir, ...options })],
    {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
      ...user,
    },
  )
  runAfterTest(async () => child.kill('SIGTERM'))
  for await (const line of createInterface({ input: child.stdout })) {
    const { pid, address }: Omit<ServiceChild, 'child'> = JSON.parse(line)
    return { child, pid, address }
  }
  throw new Error('The service exited before it was ready')
}
