// Upgrades a database of the last released version with many rows in every growing table: the time of each migration
// since, and for those that take longer with more rows, a forecast for a hundred million rows in total. Nobody else
// uses the database. UPGRADE_ROWS sets the rows per table; 7,700,000 are a hundred million in total, and 41 GB.
import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../server/src/db/migrate.ts'
import { type Migration, readMigrations } from '../server/src/db/migration-files.ts'
import { ORG, ROOT, startDefaultPostgres } from './bench-service.ts'
import { fillFlows } from './fill-org.ts'
import { print, printNote, printTitle } from './report.ts'

const ROWS = Number(process.env.UPGRADE_ROWS ?? 200_000)
const SMALL = ROWS / 10
const TABLES = 13
const FORECAST_ROWS = 100_000_000
/** With ten times the rows, a migration that depends on them takes longer by more than a busy machine explains. */
const GROWS_BY = { ms: 1_000, times: 3 }
const IN_ONE_STATEMENT = 200_000

const migrations = readMigrations(`${ROOT}/server/migrations`)
const released = readFileSync(`${ROOT}/server/migrations/released`, 'utf8').trim()

const few = await measure(SMALL)
const many = await measure(ROWS)
printTitle(`Upgrade from ${released} with ${format(ROWS)} rows in each of ${TABLES} tables that grow`)
printNote(
  `${format(ROWS * TABLES)} rows, ${many.gigabytes.toFixed(1)} GB, ${migrations.length} migrations in all`,
)
const growing = [...many.times].filter(([name, ms]) => {
  const before_ms = few.times.get(name) ?? 0
  return ms - before_ms > GROWS_BY.ms && ms > before_ms * GROWS_BY.times
})
const sum = (times: Iterable<number>) => [...times].reduce((total, ms) => total + ms, 0)
for (const [name, ms] of growing) {
  const before = `${format(SMALL)} rows: ${((few.times.get(name) ?? 0) / 1000).toFixed(2)} s`
  const way = migrations.find(each => each.name === name)?.is_concurrent ? 'indexes' : 'other'
  print({ name: `${name} (${way}; ${before})`, ...inSeconds(ms) })
}
const all = sum(many.times.values())
const grown = sum(growing.map(([, ms]) => ms))
print({ name: `the other ${many.times.size - growing.length} together`, ...inSeconds(all - grown) })
print({ name: 'all', ...inSeconds(all) })
const times = FORECAST_ROWS / (ROWS * TABLES)
if (times > 1)
  print({ name: `forecast for ${format(FORECAST_ROWS)} rows`, ...inSeconds(all - grown + grown * times) })

function inSeconds(ms: number) {
  return { value: ms / 1000, unit: 's' }
}

function format(count: number): string {
  return count.toLocaleString('en')
}

/** The time of each migration after the released ones. */
async function measure(rows: number): Promise<{ times: Map<string, number>; gigabytes: number }> {
  const database = await startDefaultPostgres()
  try {
    const owner = new pg.Client(database.address)
    await owner.connect()
    await migrate(owner, { shipped: migrations.filter(({ name }) => name <= released) })
    await fill(owner, rows)
    const { rows: size } = await owner.query('select pg_database_size(current_database())::float8 as bytes')
    const { bavail, bsize } = await statfs(database.data_dir)
    printNote(
      `${format(rows)} rows: ${(size[0].bytes / 1e9).toFixed(1)} GB, ${((bavail * bsize) / 1e9).toFixed(0)} GB free`,
    )
    const times = new Map<string, number>()
    for (const next of migrations.filter(({ name }) => name > released)) {
      times.set(next.name, await measureMigration(owner, next))
    }
    await owner.end()
    return { times, gigabytes: size[0].bytes / 1e9 }
  } finally {
    await database.stop()
  }
}

async function measureMigration(owner: pg.Client, next: Migration): Promise<number> {
  const started = performance.now()
  await migrate(owner, { shipped: migrations.filter(({ name }) => name <= next.name) })
  return performance.now() - started
}

/** The same number of rows in each table that grows with reports. Only this fill is not durable. */
async function fill(owner: pg.Client, rows: number): Promise<void> {
  await setDurable(owner, false)
  await owner.query("set session_replication_role = 'replica'")
  await owner.query(`
    insert into orgs (org_id, name, kind, created_at) values (gen_random_uuid(), '${ORG}', 'shared', now());
    insert into templates (org_id, template_id, content_sha256, content, parsed, fresh_state, created_at)
    select org_id, gen_random_uuid(), '', '', '{"trail": {"attestations": [], "artifacts": []}}', 'COMPLIANT', now() from orgs;
    insert into flows (org_id, flow_id, name, description, visibility, template_id, created_by, created_at, last_modified_at)
    select org_id, gen_random_uuid(), 'flow-0', '', 'private', template_id, 'x', now(), now() from templates;
    insert into environments (org_id, environment_id, name, type, description, latest_index, created_by, created_at, last_modified_at)
    select org_id, gen_random_uuid(), 'production', 'K8S', '', 1, 'x', now(), now() from orgs`)
  for (let after = 0; after < rows; after += IN_ONE_STATEMENT) {
    const to = Math.min(rows, after + IN_ONE_STATEMENT)
    await fillFlows(owner, after, to)
    await fillEnvironment(owner, after, to)
  }
  await owner.query("set session_replication_role = 'origin'")
  await setDurable(owner, true)
  await owner.query('vacuum analyze')
  await owner.query('checkpoint')
}

async function fillEnvironment(owner: pg.Client, after: number, to: number): Promise<void> {
  const from = `from environments e, generate_series(${after + 1}, ${to}) n`
  const key = `lpad(to_hex(n), 64, '0')`
  const own = 'e.org_id, e.environment_id'
  await owner.query(`
    insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
      non_compliant_count, unknown_count, applied_policies, cause, actor)
    select ${own}, n, now(), true, 1, 0, 0, '[]', 'report', 'x' ${from};
    insert into runs (org_id, environment_id, run_id, artifact_key, fingerprint, name, instance_count, instances,
      replaced, from_index, to_index)
    select ${own}, uuidv7(), ${key}, ${key}, 'image', 1, '[]', '[]', n, n + 1 ${from};
    insert into verdicts (org_id, environment_id, verdict_id, artifact_key, compliant, evaluation, from_index, to_index)
    select ${own}, uuidv7(), ${key}, true, '{}', n, n + 1 ${from};
    insert into deployments (org_id, deployment_id, environment_id, snapshot_index, artifact_key, fingerprint,
      artifact_name, is_primary, deployed_at)
    select e.org_id, uuidv7(), e.environment_id, n, ${key}, ${key}, 'image', true, now() ${from};
    insert into outbox (org_id, job_id, kind, payload, created_at, due_at, finished_at)
    select e.org_id, uuidv7(), 'delivery', '{}', now(), now(), now() ${from};
    insert into idempotency_keys (org_id, caller_id, key, request_sha256, created_at)
    select e.org_id, e.org_id, n::text, ${key}, now() ${from};
    insert into trail_repos (org_id, trail_id, repo_id)
    select e.org_id, uuidv7(), e.environment_id ${from}`)
}

async function setDurable(owner: pg.Client, is_durable: boolean): Promise<void> {
  await owner.query(`alter system set fsync = ${is_durable ? 'on' : 'off'}`)
  await owner.query('select pg_reload_conf()')
}
