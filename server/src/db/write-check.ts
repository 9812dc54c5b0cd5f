// Proves that the database accepts new sessions and commits a write, as the application role. The pool alone would
// not show it: a PostgreSQL that is shutting down still serves its existing sessions.
import pg from 'pg'
import { type Query, sendPacket } from './packet.ts'
import { DISK_FULL_CODE, isConnectionFault } from './violations.ts'

const WRITE = { name: 'health_write', text: 'update health set checked_at = $1' }
const TOO_MANY_CONNECTIONS = '53300'
const EXPLAINED: Readonly<Record<string, string>> = {
  '25006': 'it is read-only',
  [DISK_FULL_CODE]: 'its disk is full',
  '53200': 'it is out of memory',
  '55P03': 'a lock was not released in time',
  '57014': 'a statement took too long',
}

/** Within the timeouts of the settings. `inScope` prepends the setting of the role to the write. */
export async function writeOnce(
  settings: pg.PoolConfig,
  pool: pg.Pool,
  inScope: (query: Query) => Query[],
  now: Date,
): Promise<void> {
  const queries = inScope({ ...WRITE, values: [now] })
  const client = new pg.Client(settings)
  // The failing call reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await sendPacket(client, queries)
  } catch (error) {
    // The sessions in the pool still work.
    if ((error as { code?: string }).code !== TOO_MANY_CONNECTIONS) throw error
    await writeInPool(pool, queries)
  } finally {
    // Not awaited: a database that hangs never closes the connection.
    client.end().catch(() => undefined)
  }
}

async function writeInPool(pool: pg.Pool, queries: Query[]): Promise<void> {
  const client = await pool.connect()
  try {
    await sendPacket(client, queries)
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

const NO_ANSWER = 'the database does not answer'

/** What is known about the disk: a PostgreSQL without room may not answer at all. */
export interface KnownDisk {
  is_full: boolean
  /** When the database answered last. */
  was_full: boolean
}

/** Why the database cannot be used, for /ready: anyone may read it, so it names no host and no table. */
export function explainWriteFault(error: unknown, { is_full, was_full }: KnownDisk): string {
  const { code = '' } = error as { code?: string }
  const explained = EXPLAINED[is_full ? DISK_FULL_CODE : code]
  if (explained !== undefined) return `the database cannot be written: ${explained}`
  if (isConnectionFault(error) || !/^\w{5}$/.test(code))
    return was_full ? `${NO_ANSWER}, and before that its disk was full` : NO_ANSWER
  return `the database cannot be written: SQLSTATE ${code}`
}
