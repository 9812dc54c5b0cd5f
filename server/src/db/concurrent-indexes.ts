// Creates and drops the indexes of a migration marked `-- concurrently`, one statement at a time and outside of a
// transaction, so that nobody who uses the table waits. A build that was killed leaves an invalid index, which is
// dropped and built again, so the migration can be repeated at any point. A partitioned table gets one index for each
// partition.
import type pg from 'pg'
import { type Migration, splitStatements } from './migration-files.ts'
import { type Patience, runWithShortLocks } from './short-locks.ts'

const CREATE_INDEX = /^create ((?:unique )?index) concurrently ([a-z_][a-z0-9_]*) on ([a-z_][a-z0-9_]*)/
const DROP_INDEX = /^drop index concurrently if exists [a-z_][a-z0-9_]*$/

export async function changeIndexesConcurrently(
  owner: pg.Client,
  patience: Patience,
  migration: Migration,
): Promise<void> {
  for (const statement of splitStatements(migration.sql)) {
    if (DROP_INDEX.test(statement)) {
      await runWithoutLockTimeout(owner, statement)
      continue
    }
    const [, kind, index, table] = CREATE_INDEX.exec(statement) ?? []
    if (kind === undefined || index === undefined || table === undefined) {
      throw new Error(
        `${migration.name} is marked "-- concurrently" but does more than create or drop indexes`,
      )
    }
    const partitions = await listPartitions(owner, table)
    if (partitions === undefined) await buildIndex(owner, index, statement)
    else await buildPartitionedIndex(owner, patience, { kind, index, table, statement, partitions })
  }
}

async function buildIndex(owner: pg.Client, index: string, statement: string): Promise<void> {
  const found = await findIndex(owner, index)
  if (found?.is_valid) return
  if (found) await runWithoutLockTimeout(owner, `drop index concurrently ${index}`)
  await runWithoutLockTimeout(owner, statement)
}

/** While it waits for older transactions, such a statement blocks nobody, and giving up would discard what it did. */
async function runWithoutLockTimeout(owner: pg.Client, statement: string): Promise<void> {
  await owner.query('set lock_timeout = 0')
  await owner.query(statement)
}

interface PartitionedIndex {
  kind: string
  index: string
  table: string
  statement: string
  partitions: readonly string[]
}

/**
 * PostgreSQL cannot do this concurrently. The index of the whole table is created first, empty, so that new
 * partitions have it. It is valid once the index of every partition is attached.
 */
async function buildPartitionedIndex(
  owner: pg.Client,
  patience: Patience,
  { kind, index, table, statement, partitions }: PartitionedIndex,
): Promise<void> {
  if ((await findIndex(owner, index)) === undefined) {
    const whole = statement.replace(CREATE_INDEX, `create ${kind} ${index} on only ${table}`)
    await runWithShortLocks(owner, patience, index, () => owner.query(whole))
  }
  for (const partition of partitions) {
    if (await hasAttachedIndex(owner, index, partition)) continue
    const own = `${partition}_${index}`
    await buildIndex(
      owner,
      own,
      statement.replace(CREATE_INDEX, `create ${kind} concurrently ${own} on ${partition}`),
    )
    await runWithShortLocks(owner, patience, own, () =>
      owner.query(`alter index ${index} attach partition ${own}`),
    )
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

/** Returns undefined for a table that is not partitioned. */
async function listPartitions(owner: pg.Client, table: string): Promise<string[] | undefined> {
  const { rows } = await owner.query<{ names: string[] }>(
    `select array(select p.relname::text from pg_inherits h join pg_class p on p.oid = h.inhrelid
                  where h.inhparent = c.oid order by 1) as names
     from pg_class c
     where c.relname = $1 and c.relnamespace = 'public'::regnamespace and c.relkind = 'p'`,
    [table],
  )
  return rows[0]?.names
}

async function hasAttachedIndex(owner: pg.Client, index: string, partition: string): Promise<boolean> {
  const { rowCount } = await owner.query(
    `select from pg_inherits h join pg_index i on i.indexrelid = h.inhrelid
     where h.inhparent = to_regclass('public.' || $1) and i.indrelid = to_regclass('public.' || $2)`,
    [index, partition],
  )
  return rowCount === 1
}
