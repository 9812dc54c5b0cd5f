// Migrates the schema to the current version: applies every file of migrations/ once, in order, each in its own
// transaction. An advisory lock keeps two starting processes apart. Forward only.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { packageRoot } from '../lib/package-root.ts'

const MIGRATION_LOCK = 7_294_001
const LOCK_TIMEOUT = '3s'

/** A problem that stops the start with a one-line message instead of a stack trace. */
export class SchemaProblem extends Error {}

interface Migration {
  name: string
  sql: string
  sha256: string
}

export interface MigrationState {
  applied: string[]
  pending: string[]
}

/** Applies pending migrations, only those in `only` if given, and returns the names of the applied ones. */
export async function migrate(owner: pg.Client, only?: readonly string[]): Promise<string[]> {
  await owner.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  try {
    await prepareMigrationsTable(owner)
    const missing = await listPendingMigrations(owner)
    const pending = only ? missing.filter(({ name }) => only.includes(name)) : missing
    for (const migration of pending) await applyMigration(owner, migration)
    return pending.map(migration => migration.name)
  } catch (error) {
    throw toSchemaProblem(error)
  } finally {
    await owner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** A missing privilege is not a bug: the operator has to grant it. */
function toSchemaProblem(error: unknown): unknown {
  if (!(error instanceof Error) || (error as Error & { code?: string }).code !== INSUFFICIENT_PRIVILEGE)
    return error
  return new SchemaProblem(
    `The user of DATABASE_URL lacks a privilege (${error.message}); docs/operations.md lists those it needs`,
  )
}

/** Reads which migrations are applied and which are pending, without changing anything. */
export async function readMigrationState(client: pg.Client | pg.Pool): Promise<MigrationState> {
  const table = await client.query("select to_regclass('public.schema_migrations') is not null as exists")
  if (!table.rows[0].exists) return { applied: [], pending: getShippedMigrations().map(({ name }) => name) }
  const applied = await listAppliedMigrations(client)
  return {
    applied: applied.map(row => row.name),
    pending: getShippedMigrations()
      .map(({ name }) => name)
      .filter(name => !applied.some(row => row.name === name)),
  }
}

async function prepareMigrationsTable(owner: pg.Client): Promise<void> {
  await owner.query(`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'waybill_app') then
        create role waybill_app nologin nosuperuser nobypassrls nocreatedb nocreaterole;
      end if;
    end $$;
    grant waybill_app to current_user;
    grant usage on schema public to waybill_app;
    create table if not exists schema_migrations (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now()
    );
    grant select on schema_migrations to waybill_app;
  `)
}

async function listPendingMigrations(owner: pg.Client): Promise<Migration[]> {
  const applied = await listAppliedMigrations(owner)
  const shippedMigrations = getShippedMigrations()
  for (const row of applied) {
    const known = shippedMigrations.find(migration => migration.name === row.name)
    if (!known) {
      throw new SchemaProblem(`The database was migrated by a newer Waybill (${row.name}); update this one`)
    }
    if (known.sha256 !== row.sha256) {
      throw new SchemaProblem(`Migration ${row.name} was edited after it had been applied to this database`)
    }
  }
  return shippedMigrations.filter(migration => !applied.some(row => row.name === migration.name))
}

export interface AppliedMigration {
  name: string
  sha256: string
}

export async function listAppliedMigrations(client: pg.Client | pg.Pool): Promise<AppliedMigration[]> {
  const result = await client.query('select name, sha256 from schema_migrations order by name')
  return result.rows
}

let shipped: Migration[] | undefined

/** Read from disk only once, because the readiness probe calls this every few seconds. */
function getShippedMigrations(): Migration[] {
  shipped ??= readMigrations(join(packageRoot, 'migrations'))
  return shipped
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(file => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map(file => {
      const sql = readFileSync(join(folder, file), 'utf8')
      return { name: file, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    })
}

async function applyMigration(owner: pg.Client, migration: Migration): Promise<void> {
  await owner.query('begin')
  try {
    await owner.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
    await owner.query(migration.sql)
    await forceRowLevelSecurity(owner)
    await owner.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ])
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
}

/**
 * Forces row-level security on every table, so that even the owner cannot bypass it by accident. The owner gets a
 * policy of its own because the admin program works across orgs. Done here for all tables, so that no migration can
 * forget it.
 */
async function forceRowLevelSecurity(owner: pg.Client): Promise<void> {
  await owner.query(`
    do $$ declare t regclass; begin
      for t in
        select c.oid::regclass from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and c.relname <> 'schema_migrations'
      loop
        execute format('alter table %s enable row level security', t);
        execute format('alter table %s force row level security', t);
        if not exists (select from pg_policy where polrelid = t and polname = 'administration') then
          execute format('create policy administration on %s to %I using (true)', t, current_user);
        end if;
      end loop;
    end $$;
  `)
}
