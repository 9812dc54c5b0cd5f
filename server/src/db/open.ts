// Opens the database from the settings: the embedded PostgreSQL or the operator's server, with a pool that uses the
// application role. Owner connections exist only during migration and setup.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DatabaseAddress,
  type DataDirectoryLock,
  findRunningPostgres,
  lockDataDirectory,
  PostgresProblem,
  startEmbeddedPostgres,
} from '@waybill/embedded-postgres'
import type pg from 'pg'
import { writeDurably } from '../lib/durable-files.ts'
import { connectClient, connectPrepared, describeError, LISTENER } from './clients.ts'
import type { Cluster } from './cluster.ts'
import { connectDatabase, type Database, DEFAULT_POOL_SIZE, type PoolSettings } from './database.ts'
import { openExternalCluster } from './external.ts'
import { migrate, requireCurrentSchema, SchemaProblem } from './migrate.ts'
import { APP_ROLE } from './scope.ts'
import { DISK_FULL, describeFault } from './violations.ts'

export type { Cluster } from './cluster.ts'

/** The name of the embedded database and of its owner. */
export const EMBEDDED_NAME = 'waybill'

const CREDENTIALS_FILE = 'database-credentials.json'
const INSUFFICIENT_PRIVILEGE = '42501'

export interface DatabaseSource {
  /** The settings' URLs; external.ts explains each. */
  database_url: string | undefined
  database_direct_url?: string | undefined
  database_owner_url?: string | undefined
  database_replica_url?: string | undefined
  database_pool?: number
  statement_ms?: number
  data_dir: string
  createPassword: () => string
  log: (line: string) => void
}

interface Credentials {
  owner: string
  app: string
}

/** Starts the embedded PostgreSQL unless DATABASE_URL is set. Fails if another process has locked the directory. */
export async function startCluster(source: DatabaseSource): Promise<Cluster> {
  const { database_url } = source
  if (database_url !== undefined) {
    const {
      database_direct_url: direct_url,
      database_owner_url: owner_url,
      database_replica_url: replica_url,
    } = source
    return openExternalCluster({ database_url, direct_url, owner_url, replica_url }, readPoolSettings(source))
  }
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
    const pool = readPoolSettings(source)
    const { address, isDiskFull } = embedded
    return makeEmbeddedCluster(address, credentials, { stop, pool, isDiskFull })
  } catch (error) {
    await lock.release()
    throw explainEmbedded(error)
  }
}

const explainEmbedded = (error: unknown): unknown =>
  error instanceof PostgresProblem ? new SchemaProblem(error.message, { cause: error }) : error

/** For an error after the cluster was opened: one sentence for the operator if the database is at fault. */
export async function explainDatabaseFault(error: unknown, cluster: Cluster): Promise<unknown> {
  const sentence = describeFault(error)
  if (sentence === undefined) return error
  const is_full = await cluster.isDiskFull?.().catch(() => false)
  return new SchemaProblem(is_full ? DISK_FULL : `${sentence} (${describeError(error)})`, { cause: error })
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
  const running = await findRunningPostgres(source.data_dir, login).catch(error => {
    throw explainEmbedded(error)
  })
  if (!running) return startCluster(source)
  const stop = async () => undefined
  return makeEmbeddedCluster(running, credentials, { stop, pool: readPoolSettings(source) })
}

function readPoolSettings({ database_pool = DEFAULT_POOL_SIZE, statement_ms }: DatabaseSource): PoolSettings {
  const settings = statement_ms === undefined ? {} : { statement_timeout: String(statement_ms) }
  return { max: database_pool, transactions: { settings } }
}

/**
 * Migrates as the owner, which also creates the application role and enforces row-level security. Without an owner, the
 * schema must be current.
 */
export async function migrateCluster(cluster: Cluster): Promise<string[]> {
  if (!(await cluster.hasOwner())) {
    await requireMigrated(cluster)
    return []
  }
  const owner = await cluster.connectOwner()
  try {
    return await migrate(owner)
  } finally {
    await owner.end()
  }
}

async function requireMigrated(cluster: Cluster): Promise<void> {
  const client = await connectAppClient(cluster)
  try {
    await requireCurrentSchema(client)
  } finally {
    await client.end()
  }
}

async function connectAppClient(cluster: Cluster): Promise<pg.Client> {
  try {
    return await cluster.connectListener()
  } catch (error) {
    throw explainRefusedRole(error)
  }
}

/** Rejects a login that cannot act as the application role, and in production a role with too many rights. */
export async function checkAppRole(
  database: Database,
  { production }: { production: boolean },
): Promise<void> {
  const role = await database.getCurrentRole().catch(error => {
    throw explainRefusedRole(error)
  })
  if (production && (role.superuser || role.bypasses_rls || role.owns_tables)) {
    throw new SchemaProblem(
      `The application must not run as ${role.name}: row-level security does not apply to that role`,
    )
  }
}

function explainRefusedRole(error: unknown): unknown {
  if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) return error
  return new SchemaProblem(
    `The user of DATABASE_URL cannot act as ${APP_ROLE} (${describeError(error)}): grant ${APP_ROLE} to it`,
  )
}

function makeEmbeddedCluster(
  address: DatabaseAddress,
  credentials: Credentials,
  { stop, pool, isDiskFull }: Pick<Cluster, 'stop' | 'isDiskFull'> & { pool: PoolSettings },
): Cluster {
  const app_address = { ...address, user: APP_ROLE, password: credentials.app }
  const app_settings = { ...app_address, ...pool }
  return {
    hasOwner: () => Promise.resolve(true),
    connectOwner: () => connectPrepared(address, owner => allowAppLogin(owner, credentials.app)),
    app_settings,
    connectApp: (onIdleError, observer) => connectDatabase(app_settings, onIdleError, observer),
    connectListener: () => connectClient({ ...app_address, ...LISTENER }),
    isDiskFull,
    stop,
  }
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
