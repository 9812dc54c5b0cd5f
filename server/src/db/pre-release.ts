// Databases from before the first release. Their 72 migrations, 0001 to 0082, made the same schema as the first
// shipped migration, so a database with exactly these migrations needs only its row.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type AppliedMigration, getMigrationNumber, getShippedMigrations } from './migration-files.ts'

/** The hash of the names and hashes of these migrations. */
const HISTORY_SHA256 = '31cf47ce55d6c01e2674f58f9b897d983418dc10b6573148c56f36536d1c127e'
const LAST_COMMIT = 'cbf704cb'
/** Programs with the last of these migrations can use the schema as it is. */
const MIN_COMPATIBLE = 82

/**
 * The applied migrations, plus the one that replaces the history. Returns undefined for any other history, such as a
 * part of it.
 */
export function replacePreRelease(applied: readonly AppliedMigration[]): AppliedMigration[] | undefined {
  const [schema] = getShippedMigrations()
  if (!schema) throw new Error('No migrations are shipped')
  const isHistory = ({ name }: AppliedMigration) => getMigrationNumber(name) < getMigrationNumber(schema.name)
  const [history, others] = [applied.filter(isHistory), applied.filter(row => !isHistory(row))]
  if (history.length === 0 || others.length > 0) return others
  if (hashHistory(history) !== HISTORY_SHA256) return undefined
  return [{ name: schema.name, sha256: schema.sha256 }]
}

function hashHistory(history: readonly AppliedMigration[]): string {
  const lines = history.map(({ name, sha256 }) => `${name} ${sha256}\n`)
  return createHash('sha256').update(lines.sort().join('')).digest('hex')
}

export function explainPreRelease(what: 'backup' | 'database', applied: readonly AppliedMigration[]): string {
  return `The ${what} is of an old pre-release (its last migration is ${applied.at(-1)?.name}). \
Use the program of commit ${LAST_COMMIT} to ${what === 'database' ? 'migrate it' : 'restore it and back it up again'}, and then this one`
}

/**
 * Records the migration that replaces the history. The rows of the history stay: running pre-release processes look
 * for them in every readiness probe. Other histories are left to `listAppliedMigrations`, which rejects them.
 */
export async function adoptPreRelease(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<AppliedMigration>(
    'select name, sha256 from schema_migrations order by name',
  )
  const missing = replacePreRelease(rows)?.filter(({ name }) => !rows.some(row => row.name === name)) ?? []
  for (const { name, sha256 } of missing) {
    await owner.query('insert into schema_migrations (name, sha256, min_compatible) values ($1, $2, $3)', [
      name,
      sha256,
      MIN_COMPATIBLE,
    ])
  }
}
