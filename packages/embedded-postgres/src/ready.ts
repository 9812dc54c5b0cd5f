// Waits until a starting PostgreSQL accepts connections and makes sure that the database exists.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type DatabaseAddress, MAINTENANCE_DATABASE } from './database-address.ts'
import { getErrorCode } from './file-system.ts'
import type { ServerProcess } from './server-process.ts'

const POLL_MS = 20
const CONNECT_TIMEOUT_MS = 5_000
// After a crash PostgreSQL replays its log before it accepts connections.
const READY_TIMEOUT_MS = 60_000
const AUTH_FAILURES = new Set(['28P01', '28000'])

/** Throws if the server exits, on a timeout, or when `cancelled` is aborted. */
export async function waitUntilReady(
  address: DatabaseAddress,
  server: ServerProcess,
  cancelled: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(READY_TIMEOUT_MS)
  while (!cancelled.aborted) {
    if (server.hasExited()) throw new Error(`PostgreSQL ${await server.exited}`)
    const failure = await withClient(address, client => client.query('select 1')).then(
      () => undefined,
      toError,
    )
    if (failure === undefined) return
    if (AUTH_FAILURES.has(getErrorCode(failure) ?? '')) {
      throw new Error('PostgreSQL rejected the stored password', { cause: failure })
    }
    if (timeout.aborted) {
      throw new Error(`PostgreSQL did not respond within ${READY_TIMEOUT_MS / 1000} s`, { cause: failure })
    }
    await sleep(POLL_MS)
  }
  throw new Error('PostgreSQL is being stopped')
}

export async function ensureDatabase(address: DatabaseAddress): Promise<void> {
  await withClient(address, async client => {
    const found = await client.query('select 1 from pg_database where datname = $1', [address.database])
    if (found.rowCount === 0)
      await client.query(`create database ${client.escapeIdentifier(address.database)}`)
  })
}

async function withClient(
  address: DatabaseAddress,
  use: (client: Client) => Promise<unknown>,
): Promise<void> {
  const client = new Client({
    ...address,
    database: MAINTENANCE_DATABASE,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Needed for a connection that breaks between two calls; the next call fails and reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await use(client)
  } finally {
    await client.end()
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
