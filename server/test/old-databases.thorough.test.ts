// Databases from earlier versions (docs/adr/0021-rolling-upgrades.md): each is upgraded while clients of the released
// version use it. Afterwards the schema equals that of a new database, the API shows the same data as that version,
// and the checks find nothing.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { findDifferences } from '../../scripts/check/upgrade/compare.mjs'
import { createBackup } from '../src/admin/backup.ts'
import { checkIntegrity } from '../src/admin/check.ts'
import { restore as restoreBackup } from '../src/admin/restore.ts'
import { migrate, readMigrationState, SchemaProblem } from '../src/db/migrate.ts'
import { getShippedMigrations } from '../src/db/migration-files.ts'
import { openDiskEvidence } from '../src/evidence/disk.ts'
import { packageRoot } from '../src/lib/package-root.ts'
import { addCleanUp } from './clean-ups.ts'
import { type Client, startTestApp } from './harness.ts'
import { openOldDatabase, startOldClients } from './old-version.ts'
import { describeSchema } from './schema-catalogue.ts'
import { createDatabase, makeScratchFolder } from './service.ts'

/** Two are enough to get in the way of a migration; upgrade.slow.test.ts has more. */
const CLIENTS = 2
const KEPT = join(packageRoot, 'test', 'fixtures', 'databases')
const VERSIONS = readdirSync(KEPT)
  .filter(file => file.endsWith('.sql.gz'))
  .map(file => file.replace('.sql.gz', ''))

/** The responses of a version for its database, and the credentials. */
interface Readings {
  key: string
  read_at_ms: number
  /** The files of the evidence store, by path, as base64. */
  evidence: Record<string, string>
  /** By path below /api/v2. */
  answers: Record<string, { status: number; body: unknown }>
}

const readKept = (file: string) => gunzipSync(readFileSync(join(KEPT, file))).toString('utf8')

async function makeNewDatabase(): Promise<pg.Client> {
  const { owner } = await createDatabase()
  await migrate(owner)
  return owner
}

async function listRecorded(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query('select name from public.schema_migrations order by name')
  return rows.map(({ name }) => name)
}

async function restore(version: string): Promise<pg.Client> {
  const { owner } = await createDatabase()
  // A dump changes the settings of its session.
  const session = new pg.Client({ ...inject('cluster'), database: owner.database ?? '' })
  await session.connect()
  await session.query(readKept(`${version}.sql.gz`))
  await session.end()
  return owner
}

function restoreEvidence(files: Readings['evidence']): string {
  const folder = makeScratchFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, 'base64')
  }
  return folder
}

async function openBackupParts(owner: pg.Client, root: string) {
  const [newName, now] = [randomUUID, new Date()]
  return { owner, evidence: await openDiskEvidence({ root, newName, now }), newName, now }
}

async function startPresentVersion(owner: pg.Client, readings: Readings): Promise<Client> {
  const database = owner.database ?? ''
  const evidence_dir = restoreEvidence(readings.evidence)
  const app = await startTestApp({ beside: { database, evidence_dir }, now_ms: readings.read_at_ms })
  addCleanUp(() => app.stop())
  return app.makeClientWith(readings.key)
}

async function findChangedAnswers(client: Client, { answers }: Readings): Promise<string[]> {
  const found: string[] = []
  for (const [path, before] of Object.entries(answers)) {
    const { status, body } = await client.get(path)
    found.push(...findDifferences(before, { status, body }, path))
  }
  return found
}

describe.each(VERSIONS)('the database of the version with %s', version => {
  it('is upgraded under requests, and then shows the same data as that version', async () => {
    const readings: Readings = JSON.parse(readKept(`${version}.json.gz`))
    const owner = await restore(version)
    expect((await listRecorded(owner)).at(-1)?.slice(0, 4)).toBe(version)
    const { pending } = await readMigrationState(owner)
    const clients = startOldClients(await openOldDatabase(owner), CLIENTS)
    await clients.untilAllWent(1)
    expect(await migrate(owner)).toEqual(pending)
    await clients.untilAllWent(1)
    expect(await clients.stop()).toEqual([])
    expect(await describeSchema(owner)).toEqual(await describeSchema(await makeNewDatabase()))
    expect(await findChangedAnswers(await startPresentVersion(owner, readings), readings)).toEqual([])
    const broken = (await checkIntegrity(owner, { log: true })).filter(({ ok }) => !ok)
    expect(broken).toEqual([])
  })
})

describe('a database of the last pre-release', () => {
  const [schema, ...later] = getShippedMigrations()
  const shipped = schema ? [schema] : []

  it('gets one more row, so that its processes find theirs in every probe and can restart', async () => {
    const owner = await restore('0082')
    const before = await listRecorded(owner)
    expect(await migrate(owner, { shipped })).toEqual([])
    expect(await listRecorded(owner)).toEqual([...before, schema?.name])
    const { rows } = await owner.query('select max(min_compatible) from public.schema_migrations')
    expect(rows).toEqual([{ max: 82 }])
    expect(await migrate(owner, { shipped })).toEqual([])
    const pending = later.map(({ name }) => name)
    expect(await readMigrationState(owner)).toEqual({ applied: [schema?.name], pending })
  })

  it('can be backed up before it is migrated, and a backup from its own program can be restored', async () => {
    const owner = await restore('0082')
    const { evidence }: Readings = JSON.parse(readKept('0082.json.gz'))
    const folder = join(makeScratchFolder(), 'backup')
    const made = await createBackup(folder, await openBackupParts(owner, restoreEvidence(evidence)))
    expect(made.migrations).toEqual([{ name: schema?.name, sha256: schema?.sha256 }])
    const { rows: migrations } = await owner.query('select name, sha256 from public.schema_migrations')
    const tables = made.tables.map(table => ({ ...table, columns: table.columns.toReversed() }))
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...made, migrations, tables }))
    const { owner: target } = await createDatabase()
    await restoreBackup(folder, await openBackupParts(target, makeScratchFolder()))
    const again = join(makeScratchFolder(), 'again')
    const { tables: restored } = await createBackup(again, await openBackupParts(target, makeScratchFolder()))
    // Later migrations change which tables refer to others, and so their order.
    const countRows = (each: typeof tables) => each.map(({ name, rows }) => `${name}: ${rows}`).sort()
    // And they add tables, which such a backup leaves empty.
    const isOld = ({ name }: (typeof tables)[number]) => made.tables.some(each => each.name === name)
    expect(countRows(restored.filter(isOld))).toEqual(countRows(made.tables))
    expect(restored.filter(table => !isOld(table) && table.rows > 0)).toEqual([])
  })

  it.each([
    [
      'lacks its last migrations',
      "delete from public.schema_migrations where name ~ '^00(7[7-9]|8)'",
      '0076',
    ],
    [
      'has one that was edited',
      "update public.schema_migrations set sha256 = 'x' where name ~ '^0023'",
      '0082',
    ],
    ['has another one', "insert into public.schema_migrations values ('0061_other.sql', 'x')", '0082'],
  ])('is refused if it %s', async (_, change, last) => {
    const owner = await restore('0082')
    await owner.query(change)
    const before = await listRecorded(owner)
    const refused = await migrate(owner).catch(error => error)
    expect(refused).toBeInstanceOf(SchemaProblem)
    expect(refused.message).toContain(`The database is of an old pre-release (its last migration is ${last}`)
    expect(await listRecorded(owner)).toEqual(before)
  })
})

it('any difference distinguishes two schemas', async () => {
  const owner = await makeNewDatabase()
  const before = await describeSchema(owner)
  for (const change of [
    'alter table trails alter name drop not null',
    'alter table trails alter name set statistics 1000',
    'alter table trails set (fillfactor = 90)',
    'alter table trails no force row level security',
    'alter table trails drop constraint trails_org_id_template_id_fkey',
    'alter table orgs disable trigger notify_caller_change',
    'alter policy own_org on trails using (true)',
    'drop index trails_of_commit',
    'grant update (kind) on events to waybill_app',
    "create or replace function app_worker() returns boolean language sql as 'select true'",
    'grant execute on function create_event_table(text) to waybill_app',
    'create sequence numbers',
  ]) {
    await owner.query(`begin; ${change}`)
    expect(await describeSchema(owner), change).not.toEqual(before)
    await owner.query('rollback')
  }
})

it('every kept database answered every read', () => {
  for (const version of VERSIONS) {
    const { answers }: Readings = JSON.parse(readKept(`${version}.json.gz`))
    expect(Object.values(answers).map(({ status }) => status)).toEqual(Object.keys(answers).map(() => 200))
  }
})
