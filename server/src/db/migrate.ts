// Migrates the schema to the current version while other processes use it: applies every migration once, in order, each in
// its own transaction and with a short wait for locks. An advisory lock makes processes that start together take turns.
// Forward only. docs/adr/0021-rolling-upgrades.md has the reasons.
import type pg from 'pg'
import { changeIndexesConcurrently } from './concurrent-indexes.ts'
import {
  type AppliedMigration,
  getMigrationNumber,
  getShippedMigrations,
  type Migration,
} from './migration-files.ts'
import { adoptPreRelease, explainPreRelease, replacePreRelease } from './pre-release.ts'
import { PATIENCE, type Patience, runWithShortLocks, SchemaProblem } from './short-locks.ts'

export { SchemaProblem } from './short-locks.ts'

const MIGRATION_LOCK = 7_294_001
const POLL_MS = 200

export interface MigrationState {
  applied: string[]
  pending: string[]
}

export interface MigrateOptions {
  /** Applies only these, by name. */
  only?: readonly string[]
  /** The migrations included in this program; tests pass those of other versions. */
  shipped?: readonly Migration[]
  lock_timeout_ms?: number
  pause?: (ms: number) => Promise<void>
}

/** Applies pending migrations and returns their names. */
export async function migrate(owner: pg.Client, options: MigrateOptions = {}): Promise<string[]> {
  const { only, shipped = getShippedMigrations() } = options
  const { lock_timeout_ms = PATIENCE.lock_timeout_ms, pause = PATIENCE.pause } = options
  const patience = { lock_timeout_ms, pause }
  await waitForTurn(owner, pause)
  try {
    await prepareMigrationsTable(owner)
    await adoptPreRelease(owner)
    const missing = await listPendingMigrations(owner, shipped)
    const pending = only ? missing.filter(({ name }) => only.includes(name)) : missing
    for (const migration of pending) await applyMigration(owner, patience, migration)
    return pending.map(migration => migration.name)
  } catch (error) {
    throw toSchemaProblem(error)
  } finally {
    // If the connection broke, the server has released the lock.
    await owner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined)
  }
}

/**
 * Polls instead of waiting inside a statement: building an index concurrently waits for every running statement, so
 * the builder and a process waiting for the builder's lock would deadlock.
 */
async function waitForTurn(owner: pg.Client, pause: Patience['pause']): Promise<void> {
  for (;;) {
    const { rows } = await owner.query('select pg_try_advisory_lock($1) as is_ours', [MIGRATION_LOCK])
    if (rows[0].is_ours) return
    await pause(POLL_MS)
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** A missing privilege is not a bug: the operator has to grant it. */
function toSchemaProblem(error: unknown): unknown {
  if (!(error instanceof Error) || (error as Error & { code?: string }).code !== INSUFFICIENT_PRIVILEGE)
    return error
  return new SchemaProblem(
    `The user that migrates lacks a privilege (${error.message}); docs/operate/install.md lists those it needs`,
  )
}

/** For a process that cannot migrate: throws if this program cannot use the schema. */
export async function requireCurrentSchema(client: pg.Client): Promise<void> {
  const [first] = await listPendingMigrations(client, getShippedMigrations())
  if (!first) return
  throw new SchemaProblem(
    `The schema is not current (${first.name} is missing): run "admin migrate" with DATABASE_OWNER_URL first`,
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
      name text primary key, sha256 text not null, applied_at timestamptz not null default now(), min_compatible int
    );
    grant select on schema_migrations to waybill_app;
  `)
}

async function listPendingMigrations(owner: pg.Client, shipped: readonly Migration[]): Promise<Migration[]> {
  const applied = await listAppliedMigrations(owner)
  const newest = getMigrationNumber(shipped.at(-1)?.name ?? '0000')
  const oldest_program = await readMinCompatible(owner)
  for (const row of applied) {
    const known = shipped.find(migration => migration.name === row.name)
    if (!known) {
      // A newer version may have added to the schema while this one is still in use.
      if (getMigrationNumber(row.name) > newest && oldest_program <= newest) continue
      throw new SchemaProblem(`The database was migrated by a newer Waybill (${row.name}); update this one`)
    }
    if (known.sha256 !== row.sha256) {
      throw new SchemaProblem(`Migration ${row.name} was edited after it had been applied to this database`)
    }
  }
  return shipped.filter(migration => !applied.some(row => row.name === migration.name))
}

/** The number of the newest migration that a program must include. A row without a declaration requires its own. */
async function readMinCompatible(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(
    `select coalesce(max(coalesce(min_compatible, substr(name, 1, 4)::int)), 0) as number from schema_migrations`,
  )
  return rows[0].number
}

export async function listAppliedMigrations(client: pg.Client | pg.Pool): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select name, sha256 from schema_migrations order by name',
  )
  const applied = replacePreRelease(rows)
  if (!applied) throw new SchemaProblem(explainPreRelease('database', rows))
  return applied
}

async function applyMigration(owner: pg.Client, patience: Patience, migration: Migration): Promise<void> {
  if (migration.is_concurrent) {
    await changeIndexesConcurrently(owner, patience, migration)
    await recordMigration(owner, migration)
    return
  }
  await runWithShortLocks(owner, patience, migration.name, async () => {
    await owner.query(migration.sql)
    await forceRowLevelSecurity(owner)
    await recordMigration(owner, migration)
  })
}

async function recordMigration(owner: pg.Client, migration: Migration): Promise<void> {
  await owner.query('insert into schema_migrations (name, sha256, min_compatible) values ($1, $2, $3)', [
    migration.name,
    migration.sha256,
    migration.min_compatible,
  ])
}

/**
 * Forces row-level security on every table that lacks it, so that even the owner cannot bypass it by accident. The
 * owner gets its own policy because the admin program works across orgs. Done here for all tables, so that no
 * migration can forget it. Tables that already have it are not altered: that would lock every table against all
 * requests.
 */
async function forceRowLevelSecurity(owner: pg.Client): Promise<void> {
  await owner.query(`
    do $$ declare t regclass; begin
      for t in
        select c.oid::regclass from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and c.relname <> 'schema_migrations'
          and not (c.relrowsecurity and c.relforcerowsecurity)
      loop
        execute format('alter table %s enable row level security', t);
        execute format('alter table %s force row level security', t);
      end loop;
      for t in
        select c.oid::regclass from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and c.relname <> 'schema_migrations'
          and not exists (select from pg_policy where polrelid = c.oid and polname = 'administration')
      loop
        execute format('create policy administration on %s to %I using (true)', t, current_user);
      end loop;
    end $$;
  `)
}
