// Transaction poolers in front of the tests' PostgreSQL: always our own, and PgBouncer if the machine has one that
// keeps prepared statements.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import type net from 'node:net'
import { join } from 'node:path'
import { startPooler } from '@waybill/testing/pooler'
import pg from 'pg'
import { inject } from 'vitest'
import { addCleanUp } from './clean-ups.ts'
import { until } from './patience.ts'
import { findFreePort, makeScratchFolder } from './service.ts'

export const POOLED_CONNECTIONS = 3

export interface StartedPooler {
  port: number
}

type Passwords = Readonly<Record<string, string>>

export async function startOwnPooler(passwords: Passwords) {
  const pooler = await startPooler({
    size: POOLED_CONNECTIONS,
    connectServer: async (user, database) => {
      const client = new pg.Client({ ...inject('cluster'), user, database, password: passwords[user] })
      await client.connect()
      return takeSocket(client)
    },
  })
  addCleanUp(() => pooler.stop())
  return pooler
}

/** The driver logs in and then leaves the session to the pooler. */
function takeSocket(client: pg.Client): net.Socket {
  const { stream } = (client as unknown as { connection: { stream: net.Socket } }).connection
  for (const event of ['data', 'error', 'close', 'end']) stream.removeAllListeners(event)
  return stream
}

const MIN_VERSION = [1, 21] as const

/** The path of a PgBouncer that prepares statements for its clients. */
export function findPgbouncer(): string | undefined {
  const path = process.env.PGBOUNCER_PATH ?? 'pgbouncer'
  try {
    const printed = execFileSync(path, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(printed)?.map(Number) ?? []
    return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]) ? path : undefined
  } catch {
    return undefined
  }
}

export async function startPgbouncer(path: string, passwords: Passwords): Promise<StartedPooler> {
  const folder = join(makeScratchFolder(), 'pgbouncer')
  mkdirSync(folder)
  const port = await findFreePort()
  const { host, port: server_port } = inject('cluster')
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const users = Object.entries(passwords).map(([name, password]) => `${quote(name)} ${quote(password)}\n`)
  writeFileSync(join(folder, 'users.txt'), users.join(''))
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${host} port=${server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = ${POOLED_CONNECTIONS}
max_prepared_statements = 200
`,
  )
  // PgBouncer refuses to run as root.
  const as_user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(path, [...as_user, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  addCleanUp(() => void child.kill('SIGKILL'))
  await until(async () => {
    const probe = new pg.Client({ ...inject('cluster'), host: '127.0.0.1', port })
    return probe.connect().then(
      () => probe.end().then(() => true),
      () => false,
    )
  })
  return { port }
}
