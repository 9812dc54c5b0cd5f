// Creates the indexes of a migration marked `-- concurrently`, one statement at a time and outside of a transaction:
// nobody who reads or writes the table waits. A build that was killed leaves an invalid index, which is dropped and
// built again, so the migration can be repeated at any point.
import type pg from 'pg'
import { type Migration, splitStatements } from './migration-files.ts'

const CREATE_INDEX = /^create (?:unique )?index concurrently ([a-z_][a-z0-9_]*) on /

export async function createIndexesConcurrently(owner: pg.Client, migration: Migration): Promise<void> {
  // No lock timeout: while it waits for older transactions, such a build blocks nobody, and giving up would discard it.
  await owner.query('set lock_timeout = 0')
  for (const statement of splitStatements(migration.sql)) {
    const index = CREATE_INDEX.exec(statement)?.[1]
    if (index === undefined) {
      throw new Error(`${migration.name} is marked "-- concurrently" but does more than create indexes`)
    }
    const found = await findIndex(owner, index)
    if (found?.is_valid) continue
    if (found) await owner.query(`drop index concurrently ${index}`)
    await owner.query(statement)
  }
}

async function findIndex(owner: pg.Client, name: string): Promise<{ is_valid: boolean } | undefined> {
  const { rows } = await owner.query(
    `select i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = $1 and c.relnamespace = 'public'::regnamespace`,
    [name],
  )
  return rows[0]
}
