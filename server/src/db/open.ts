// Opens the database from the settings: the embedded PostgreSQL or the operator's server, with a pool that uses the
// application role. Owner connections exist only during migration and setup.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DatabaseAddress,
  type DataDirectoryLock,
  findRunningPostgres,
  lockDataDirectory,
  startEmbeddedPostgres,
} from '@waybill/embedded-postgres'
import pg from 'pg'
import { writeDurably } from '../lib/durable-files.ts'
import { connectDatabase, type Database } from './database.ts'
import { migrate, SchemaProblem } from './migrate.ts'
import { refuseUnsupportedServer } from './supported-server.ts'

/** The owner of the embedded database, and the database itself. */
export const EMBEDDED_NAME = 'waybill'

const CREDENTIALS_FILE = 'database-credentials.json'
const CONNECT_TIMEOUT_MS = 10_000
export const LISTENER = { application_name: 'waybill-listener', keepAlive: true }

export interface DatabaseSource {
  database_url: string | undefined
  /** Reaches the same database without a pooler; by default database_url. */
  direct_url?: string | undefined
  data_dir: string
  createPassword: () => string
  log: (line: string) => void
}

export interface Cluster {
  /** A connection that owns the schema; the caller ends it. */
  connectOwner(): Promise<pg.Client>
  connectApp(onIdleError: (error: Error) => void): Database
  /** A direct connection with the application role, for LISTEN; the caller ends it. */
  connectListener(): Promise<pg.Client>
  stop(): Promise<void>
}

interface Credentials {
  owner: string
  app: string
}

/** Starts the embedded PostgreSQL unless DATABASE_URL is set. Fails if another process has locked the directory. */
export async function startCluster(source: DatabaseSource): Promise<Cluster> {
  if (source.database_url !== undefined) return makeExternalCluster(source.database_url, source.direct_url)
  const lock = await requireDirectoryLock(source.data_dir)
  try {
    const credentials = await readOrCreateCredentials(source)
    const embedded = await startEmbeddedPostgres({
      data_dir: source.data_dir,
      name: EMBEDDED_NAME,
      password: credentials.owner,
      onLog: source.log,
    })
    const stop = async () => {
      await embedded.stop()
      await lock.release()
    }
    return makeEmbeddedCluster(embedded.address, credentials, stop)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function requireDirectoryLock(data_dir: string): Promise<DataDirectoryLock> {
  try {
    return await lockDataDirectory(data_dir)
  } catch (error) {
    throw new SchemaProblem(describeError(error), { cause: error })
  }
}

/** For the admin program: uses the database of a service that is already running, or else starts it. */
export async function joinCluster(source: DatabaseSource): Promise<Cluster> {
  if (source.database_url !== undefined || !existsSync(join(source.data_dir, CREDENTIALS_FILE))) {
    return startCluster(source)
  }
  const credentials = await readOrCreateCredentials(source)
  const login = { name: EMBEDDED_NAME, password: credentials.owner }
  const running = await findRunningPostgres(source.data_dir, login)
  if (!running) return startCluster(source)
  return makeEmbeddedCluster(running, credentials, async () => undefined)
}

/** Migrates as the owner, which also creates the application role and enforces row-level security. */
export async function migrateCluster(cluster: Cluster): Promise<string[]> {
  const owner = await cluster.connectOwner()
  try {
    return await migrate(owner)
  } finally {
    await owner.end()
  }
}

export async function refusePowerfulRole(database: Database): Promise<void> {
  const role = await database.getCurrentRole()
  if (role.superuser || role.bypasses_rls || role.owns_tables) {
    throw new SchemaProblem(
      `The application must not run as ${role.name}: row-level security does not apply to that role`,
    )
  }
}

function makeEmbeddedCluster(
  address: DatabaseAddress,
  credentials: Credentials,
  stop: () => Promise<void>,
): Cluster {
  return {
    connectOwner: async () => {
      const owner = await connectClient(address)
      await allowAppLogin(owner, credentials.app)
      return owner
    },
    connectApp: onIdleError =>
      connectDatabase({ ...address, user: 'waybill_app', password: credentials.app }, onIdleError),
    connectListener: () =>
      connectClient({ ...address, user: 'waybill_app', password: credentials.app, ...LISTENER }),
    stop,
  }
}

function makeExternalCluster(connectionString: string, direct_url = connectionString): Cluster {
  return {
    connectOwner: () => connectExternalOwner(connectionString),
    connectApp: onIdleError =>
      connectDatabase({ connectionString, options: '-c role=waybill_app' }, onIdleError),
    connectListener: () =>
      connectClient({ connectionString: direct_url, options: '-c role=waybill_app', ...LISTENER }),
    stop: async () => undefined,
  }
}

async function connectExternalOwner(connectionString: string): Promise<pg.Client> {
  const owner = await connectClient({ connectionString }).catch(error => {
    throw new SchemaProblem(`The database of DATABASE_URL cannot be used: ${describeError(error)}`)
  })
  try {
    await refuseUnsupportedServer(owner)
    return owner
  } catch (error) {
    await owner.end()
    throw error
  }
}

async function connectClient(settings: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({
    application_name: 'waybill-admin',
    ...settings,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  await client.connect()
  return client
}

/** A host name with several addresses fails with a list of errors and no message of its own. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/** In the embedded cluster the application logs in with its own role, so none of its sessions is ever a superuser. */
async function allowAppLogin(owner: pg.Client, password: string): Promise<void> {
  const literal = owner.escapeLiteral(password)
  await owner.query(`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'waybill_app' and rolcanlogin) then
        if not exists (select from pg_roles where rolname = 'waybill_app') then
          create role waybill_app;
        end if;
        alter role waybill_app login nosuperuser nobypassrls nocreatedb nocreaterole password ${literal};
      end if;
    end $$`)
}

async function readOrCreateCredentials(source: DatabaseSource): Promise<Credentials> {
  const file = join(source.data_dir, CREDENTIALS_FILE)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const credentials = { owner: source.createPassword(), app: source.createPassword() }
  // A crash or power loss must not leave a database whose password is lost.
  await writeDurably(file, `${JSON.stringify(credentials)}\n`)
  return credentials
}
