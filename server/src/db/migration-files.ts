// The migration files: their order, and what the comments at their top declare about how they run and which programs
// can use the schema afterwards.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../lib/package-root.ts'

const CONCURRENTLY = /^-- concurrently$/m
const MIN_COMPATIBLE = /^-- min-compatible: (\d{4})$/m

export interface Migration {
  name: string
  sql: string
  sha256: string
  /** Creates indexes outside of a transaction, so that nobody who writes to the table waits. */
  is_concurrent: boolean
  /** Programs whose newest migration has at least this number can use the schema. */
  min_compatible: number
}

/** 23 for `0023_reference_indexes.sql`. */
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
    .filter(file => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map(name => parseMigration(name, readFileSync(join(folder, name), 'utf8')))
}

/** A migration that declares nothing can only be used by programs that include it. */
export function parseMigration(name: string, sql: string): Migration {
  return {
    name,
    sql,
    sha256: createHash('sha256').update(sql).digest('hex'),
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
