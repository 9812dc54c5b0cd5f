// The settings of the database: where it is, who logs in, and how many connections a process may open.
import { defineSetting, readDatabaseUrl, readNumberBetween, type Setting } from './setting-readers.ts'

export const DATABASE_SETTINGS = {
  DATABASE_URL: defineSetting(
    'PostgreSQL 15 or newer; unset starts the embedded one',
    'unset',
    readDatabaseUrl,
  ),
  DATABASE_DIRECT_URL: defineSetting(
    'the same database without a connection pooler, for LISTEN and migrations',
    'as DATABASE_URL',
    readDatabaseUrl,
  ),
  DATABASE_OWNER_URL: defineSetting(
    'the same database as the owner of the schema, for migrations and admin commands',
    'as DATABASE_DIRECT_URL',
    readDatabaseUrl,
  ),
  DATABASE_REPLICA_URL: defineSetting(
    'a streaming replica of the database, for lists, searches and exports',
    'unset',
    readDatabaseUrl,
  ),
  WAYBILL_DATABASE_POOL: defineSetting(
    'database connections that this process may use for requests and jobs',
    '16',
    readNumberBetween(1, 1000, 16),
  ),
} satisfies Record<string, Setting<unknown>>

export interface DatabaseConfig {
  database_url: string | undefined
  database_direct_url: string | undefined
  database_owner_url: string | undefined
  database_replica_url: string | undefined
  database_pool: number
}

type Settings = typeof DATABASE_SETTINGS
type Read = <N extends keyof Settings>(name: N) => ReturnType<Settings[N]['read']>

export function readDatabaseConfig(read: Read): DatabaseConfig {
  return {
    database_url: read('DATABASE_URL'),
    database_direct_url: read('DATABASE_DIRECT_URL'),
    database_owner_url: read('DATABASE_OWNER_URL'),
    database_replica_url: read('DATABASE_REPLICA_URL'),
    database_pool: read('WAYBILL_DATABASE_POOL'),
  }
}
