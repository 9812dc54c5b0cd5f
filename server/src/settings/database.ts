// The settings of the database: where it is, who logs in, how many connections a process may open, and how long a
// statement may take.
import { defineSecret, defineSetting, readDatabaseUrl, readNumberBetween, type Setting } from './readers.ts'

const MS_PER_SECOND = 1_000

export const DATABASE_SETTINGS = {
  DATABASE_URL: defineSecret(
    'PostgreSQL 15 or newer; unset starts the embedded one',
    'unset',
    readDatabaseUrl,
  ),
  DATABASE_DIRECT_URL: defineSecret(
    'the same database without a connection pooler, for LISTEN and migrations',
    'as DATABASE_URL',
    readDatabaseUrl,
  ),
  DATABASE_OWNER_URL: defineSecret(
    'the same database as the owner of the schema, for migrations and admin commands',
    'as DATABASE_DIRECT_URL',
    readDatabaseUrl,
  ),
  DATABASE_REPLICA_URL: defineSecret(
    'a streaming replica of the database, for lists, searches and exports',
    'unset',
    readDatabaseUrl,
  ),
  WAYBILL_DATABASE_POOL: defineSetting(
    'database connections that this process may use for requests and jobs',
    '16',
    readNumberBetween(1, 1000, 16),
  ),
  WAYBILL_STATEMENT_TIMEOUT: defineSetting(
    'seconds that one database statement may take; up to six times as long for many rows',
    '9',
    readNumberBetween(1, 600, 9),
  ),
} satisfies Record<string, Setting<unknown>>

export interface DatabaseConfig {
  database_url: string | undefined
  database_direct_url: string | undefined
  database_owner_url: string | undefined
  database_replica_url: string | undefined
  database_pool: number
  statement_ms: number
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
    statement_ms: read('WAYBILL_STATEMENT_TIMEOUT') * MS_PER_SECOND,
  }
}
