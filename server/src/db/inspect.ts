// Everything that `admin doctor` reads about a database, without changing anything and for a schema of any version.
import type pg from 'pg'
import { readMigrationState } from './migrate.ts'

export interface DatabaseFacts {
  version: string
  encoding: string
  applied: number
  pending: readonly string[]
  now: Date
}

export async function inspectDatabase(client: pg.Client): Promise<DatabaseFacts> {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
       clock_timestamp() as now`,
  )
  const { applied, pending } = await readMigrationState(client)
  const { version, encoding, now } = rows[0]
  return { version, encoding, now: new Date(now), applied: applied.length, pending }
}
