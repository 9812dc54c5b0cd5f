// The database settings: where it is, who logs in, how many connections a process may open, and how long a statement
// may take.
import { readNumberBetween } from './readers.ts'
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

const MS_PER_SECOND = 1_000

export const DATABASE_SETTINGS = {
  DATABASE_URL: defineOptional({
    meaning: 'PostgreSQL 15 or newer, encoding UTF8 ([details](install.md#external-postgresql))',
    unset: 'the embedded PostgreSQL is started',
    example: 'postgres://waybill:password@postgres.example/waybill',
    is_secret: true,
    parse: readDatabaseUrl,
  }),
  DATABASE_DIRECT_URL: defineOptional({
    meaning:
      'the same database without a [connection pooler](scale.md#connection-poolers), for migrations, the admin program and one connection per process that is notified of revoked credentials',
    unset: 'as `DATABASE_URL`',
    example: 'postgres://waybill:password@postgres.example:5432/waybill',
    is_secret: true,
    parse: readDatabaseUrl,
  }),
  DATABASE_OWNER_URL: defineOptional({
    meaning:
      'the same database as the owner of the schema, for migrations and the admin program, if the user of `DATABASE_URL` is [not the owner](install.md#two-users)',
    unset: 'as `DATABASE_DIRECT_URL`',
    example: 'postgres://waybill_owner:password@postgres.example/waybill',
    is_secret: true,
    parse: readDatabaseUrl,
  }),
  DATABASE_REPLICA_URL: defineOptional({
    meaning:
      'a streaming [replica](scale.md#reads-from-a-replica) of the database, for lists and searches; needs `DATABASE_URL`',
    unset: 'unset',
    example: 'postgres://waybill:password@replica.example/waybill',
    is_secret: true,
    parse: readDatabaseUrl,
  }),
  WAYBILL_DATABASE_POOL: defineSetting({
    meaning:
      'database connections that this process may use for requests and jobs, 1 to 1000. Nothing needs two of them at once, so 1 works. `/ready` and notifications use one more each, and reports of more than 256 KiB up to three',
    default: '16',
    example: '8',
    parse: readNumberBetween(1, 1000),
  }),
  WAYBILL_STATEMENT_TIMEOUT: defineSetting({
    meaning:
      'seconds that one database statement may take, 1 to 600; up to six times as long in a transaction that handles many rows, such as a large report ([limits](limits.md#times))',
    default: '9',
    example: '20',
    parse: readNumberBetween(1, 600),
  }),
} satisfies Settings

export interface DatabaseConfig {
  database_url: string | undefined
  database_direct_url: string | undefined
  database_owner_url: string | undefined
  database_replica_url: string | undefined
  database_pool: number
  statement_ms: number
}

export function readDatabaseConfig(environment: Environment): DatabaseConfig {
  const read = makeReader(DATABASE_SETTINGS, environment)
  const database_url = read('DATABASE_URL')
  const database_replica_url = read('DATABASE_REPLICA_URL')
  if (database_replica_url !== undefined && database_url === undefined) {
    throw new SettingProblem('DATABASE_REPLICA_URL needs DATABASE_URL')
  }
  return {
    database_url,
    database_direct_url: read('DATABASE_DIRECT_URL'),
    database_owner_url: read('DATABASE_OWNER_URL'),
    database_replica_url,
    database_pool: read('WAYBILL_DATABASE_POOL'),
    statement_ms: read('WAYBILL_STATEMENT_TIMEOUT') * MS_PER_SECOND,
  }
}

function readDatabaseUrl(value: string, name: string): string {
  if (/^postgres(ql)?:\/\//.test(value)) return value
  throw new SettingProblem(`${name} must begin with postgres:// or postgresql://`)
}
