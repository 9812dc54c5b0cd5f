// The migrations: each a file, or a folder of files, in the order of their names. Comments at the top declare how
// they run and which programs can use the schema afterwards.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../lib/package-root.ts'

const MIGRATION = /^\d{4}_\w+(\.sql)?$/
const CREATE_POLICY = /^create policy [^;]*;$/gm
const COMMENTS_AND_SPACE = /(--.*$|\/\*[\s\S]*?\*\/|\s)+/gm
const CONCURRENTLY = /^-- concurrently$/m
const MIN_COMPATIBLE = /^-- min-compatible: (\d{4})$/m

export interface AppliedMigration {
  name: string
  /** The hash of the statements without comments and white space, which may still be improved. */
  sha256: string
}

export interface Migration extends AppliedMigration {
  sql: string
  /** Creates indexes outside of a transaction, so that nobody who writes to the table waits. */
  is_concurrent: boolean
  /** Only programs whose newest migration has at least this number can use the schema. */
  min_compatible: number
}

/** 100 for `0100_schema`. */
export function getMigrationNumber(name: string): number {
  return Number(name.slice(0, 4))
}

let shipped: readonly Migration[] | undefined

/** Read from disk only once, because the readiness probe calls this every few seconds. */
export function getShippedMigrations(): readonly Migration[] {
  shipped ??= readMigrations(join(packageRoot, 'migrations'))
  return shipped
}

export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(name => MIGRATION.test(name))
    .sort()
    .map(name => parseMigration(name, readSql(join(folder, name))))
}

function readSql(path: string): string {
  if (path.endsWith('.sql')) return readFileSync(path, 'utf8')
  const files = readdirSync(path).filter(name => name.endsWith('.sql'))
  return putPoliciesLast(
    files
      .sort()
      .map(name => readFileSync(join(path, name), 'utf8'))
      .join('\n'),
  )
}

/** A file contains all policies of its tables, and some of them look at tables of later files. */
function putPoliciesLast(sql: string): string {
  const policies = sql.match(CREATE_POLICY) ?? []
  return [sql.replace(CREATE_POLICY, ''), ...policies].join('\n')
}

/** A migration that declares nothing can only be used by programs that include it. */
export function parseMigration(name: string, sql: string): Migration {
  return {
    name,
    sql,
    sha256: createHash('sha256').update(sql.replace(COMMENTS_AND_SPACE, ' ').trim()).digest('hex'),
    is_concurrent: CONCURRENTLY.test(sql),
    min_compatible: Number(MIN_COMPATIBLE.exec(sql)?.[1] ?? getMigrationNumber(name)),
  }
}

/** The statements of a file that contains no function bodies, without comments. */
export function splitStatements(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .split(';')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
}
