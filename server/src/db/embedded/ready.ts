// Waits for a starting PostgreSQL to answer and makes sure our database exists in it.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { DATABASE, type DatabaseAddress, MAINTENANCE_DATABASE } from './database-address.ts'
import { getErrorCode } from './file-system.ts'
import type { ServerProcess } from './server-process.ts'

const POLL_MS = 20
const CONNECT_TIMEOUT_MS = 5_000
// Recovery after a crash replays the log before anybody is let in.
const READY_TIMEOUT_MS = 60_000
const REFUSED = new Set(['28P01', '28000'])

/** Throws when the server exits, the time is up, or `cancelled` says that nobody waits any more. */
export async function waitUntilReady(
  address: DatabaseAddress,
  server: ServerProcess,
  cancelled: AbortSignal,
): Promise<void> {
  const time_is_up = AbortSignal.timeout(READY_TIMEOUT_MS)
  while (!cancelled.aborted) {
    if (server.hasExited()) throw new Error(`PostgreSQL ${await server.exited}`)
    const failure = await withClient(address, client => client.query('select 1')).then(
      () => undefined,
      toError,
    )
    if (failure === undefined) return
    if (REFUSED.has(getErrorCode(failure) ?? '')) {
      throw new Error('PostgreSQL refused the stored password', { cause: failure })
    }
    if (time_is_up.aborted) {
      throw new Error(`PostgreSQL did not answer within ${READY_TIMEOUT_MS / 1000} s`, { cause: failure })
    }
    await sleep(POLL_MS)
  }
  throw new Error('PostgreSQL is being stopped')
}

export async function ensureDatabase(address: DatabaseAddress): Promise<void> {
  await withClient(address, async client => {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`)
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
  // A connection that breaks between two calls reports itself here; the next call fails and says so too.
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
