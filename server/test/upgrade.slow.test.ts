// An upgrade while the last released version serves requests: none of them fails, whatever happens to the migrating
// process, and the old version can restart until all processes are new.
import { describe, expect, it } from 'vitest'
import { migrate, readMigrationState, SchemaProblem } from '../src/db/migrate.ts'
import { getShippedMigrations, parseMigration } from '../src/db/migration-files.ts'
import { MAX_ATTEMPTS } from '../src/db/short-locks.ts'
import {
  getReleasedMigrations,
  makeOldDatabase,
  makeOldRequests,
  type OldDatabase,
  startOldClients,
} from './old-version.ts'
import { until } from './patience.ts'

const CLIENTS = 6

/**
 * Possible changes in the next versions: to tables that all requests use, a new table, and indexes that take long to
 * build.
 */
const INDEXED = [
  'trails',
  'flows',
  'templates',
  'trail_words',
  'attestations',
  'template_slots',
  'pending_judgements',
]
const COMING = [
  ...INDEXED.map((table, i) => [
    `900${i + 1}_index.sql`,
    `-- concurrently\n-- min-compatible: 0100\ncreate index concurrently planted_${table} on ${table} (org_id);`,
  ]),
  [
    '9101_columns.sql',
    '-- min-compatible: 0100\nalter table trails add planted int; alter table environments add planted int;',
  ],
  [
    '9102_table.sql',
    `-- min-compatible: 0100
create table planted (org_id uuid references orgs (org_id), primary key (org_id))`,
  ],
  [
    '9103_index.sql',
    `-- concurrently
-- min-compatible: 0100
create index concurrently events_planted on events (org_id, actor, happened_at)`,
  ],
].map(([name = '', sql = '']) => parseMigration(name, sql))
const shipped = [...getShippedMigrations(), ...COMING]
const upgrade = shipped.slice(getReleasedMigrations().length).map(({ name }) => name)

/** Ends the migrating session as soon as it waits for the lock that `table` has. Returns why it failed. */
async function killAt(old: OldDatabase, table: string): Promise<unknown> {
  const [holder, migrator] = [await old.connectOwner(), await old.connectOwner()]
  await holder.query(`begin; lock table ${table} in row exclusive mode`)
  const { rows } = await migrator.query('select pg_backend_pid() as pid')
  const ended = migrate(migrator, { shipped, lock_timeout_ms: 0 }).catch(error => error)
  const waits = `select from pg_stat_activity where pid = ${rows[0].pid} and wait_event_type = 'Lock'`
  await until(async () => (await old.owner.query(waits)).rowCount === 1)
  await old.owner.query('select pg_terminate_backend($1)', [rows[0].pid])
  const error = await ended
  await holder.query('rollback')
  return error
}

async function listInvalidIndexes({ owner }: OldDatabase): Promise<string[]> {
  const { rows } = await owner.query(
    'select indexrelid::regclass::text as name from pg_index where not indisvalid',
  )
  return rows.map(({ name }) => name)
}

describe('an upgrade', () => {
  it('fails no request of the released version', async () => {
    const old = await makeOldDatabase()
    const clients = startOldClients(old, CLIENTS)
    await clients.untilAllWent(2)
    expect(await migrate(old.owner, { shipped })).toEqual(upgrade)
    await clients.untilAllWent(2)
    expect(await clients.stop()).toEqual([])
    expect(await listInvalidIndexes(old)).toEqual([])
  })

  it('that is killed ten times halfway succeeds at the next start, which leaves nothing to do', async () => {
    const old = await makeOldDatabase()
    const places = [...INDEXED, 'environments', 'orgs', 'events']
    let invalid = 0
    for (const table of places) {
      expect(await killAt(old, table), table).toBeInstanceOf(Error)
      invalid += (await listInvalidIndexes(old)).length
    }
    expect(places.length).toBe(10)
    expect(invalid).toBeGreaterThan(0)
    expect((await migrate(await old.connectOwner(), { shipped })).length).toBeGreaterThan(0)
    expect(await listInvalidIndexes(old)).toEqual([])
    expect(await migrate(await old.connectOwner(), { shipped })).toEqual([])
    const { applied } = await readMigrationState(old.owner)
    expect(applied).toEqual(shipped.map(({ name }) => name))
  })

  it('by several processes at once is done once', async () => {
    const old = await makeOldDatabase()
    const owners = await Promise.all([1, 2, 3].map(() => old.connectOwner()))
    const applied = await Promise.all(owners.map(owner => migrate(owner, { shipped })))
    expect(applied.flat()).toEqual(upgrade)
  })
})

describe('a migration that gets no lock', () => {
  it('lets requests pass, pauses longer each time, and succeeds when it gets one', async () => {
    const old = await makeOldDatabase()
    const holder = await old.connectOwner()
    await holder.query('begin; lock table trails in access share mode')
    const request = makeOldRequests(old.connectService(), old.org_id)
    const pauses: number[] = []
    const pause = async (ms: number) => {
      pauses.push(ms)
      await request()
      if (pauses.length === 3) await holder.query('rollback')
    }
    expect(await migrate(old.owner, { shipped, pause, lock_timeout_ms: 20 })).toEqual(upgrade)
    expect(pauses.slice(0, 3)).toEqual([200, 400, 800])
  })

  it('gives up after a bounded number of attempts, with one line, and changes nothing', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner)
    const holder = await old.connectOwner()
    await holder.query('begin; lock table environments in access share mode')
    let pauses = 0
    const pause = async () => {
      pauses++
    }
    const problem = await migrate(old.owner, { shipped, pause, lock_timeout_ms: 1 }).catch(error => error)
    expect(problem).toBeInstanceOf(SchemaProblem)
    expect(problem.message).toBe(
      '9101_columns.sql could not lock a table that is in use, in 20 attempts; end long transactions and start again',
    )
    expect(pauses).toBe(MAX_ATTEMPTS - 1)
    const { rowCount } = await old.owner.query(
      `select from pg_attribute where attname = 'planted' and attrelid = 'trails'::regclass`,
    )
    expect(rowCount).toBe(0)
  })

  it('needs no lock on tables that it does not change', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner)
    const holder = await old.connectOwner()
    await holder.query('begin; lock table flows, trails, environments, events in access share mode')
    const pauses: number[] = []
    const pause = async (ms: number) => {
      pauses.push(ms)
    }
    const only = ['9102_table.sql']
    expect(await migrate(old.owner, { shipped, only, pause })).toEqual(only)
    expect(pauses).toEqual([])
    const { rows } = await old.owner.query(
      `select relrowsecurity, relforcerowsecurity from pg_class where relname = 'planted'`,
    )
    expect(rows).toEqual([{ relrowsecurity: true, relforcerowsecurity: true }])
  })
})

describe('a program', () => {
  it('starts on the schema of a newer program that allows it', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner, { shipped })
    expect(await migrate(old.owner, { shipped: getReleasedMigrations() })).toEqual([])
    expect(await migrate(old.owner)).toEqual([])
  })

  it('refuses the schema of a newer program that requires a later one', async () => {
    const old = await makeOldDatabase()
    const contract = parseMigration('9104_contract.sql', '-- min-compatible: 9101\nselect 1;')
    await migrate(old.owner, { shipped: [...shipped, contract] })
    const refused = await migrate(old.owner).catch(error => error)
    expect(refused).toBeInstanceOf(SchemaProblem)
    expect(refused.message).toBe(
      'The database was migrated by a newer Waybill (9001_index.sql); update this one',
    )
    expect(await migrate(old.owner, { shipped: shipped.slice(0, -2) })).toEqual([])
  })

  it('refuses a schema with an unknown migration from before its own newest one', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner)
    const other = parseMigration('9100_other.sql', '-- min-compatible: 0100\nselect 1;')
    await migrate(old.owner, {
      shipped: [...shipped, other].sort((a, b) => (a.name < b.name ? -1 : 1)),
    })
    await expect(migrate(old.owner, { shipped })).rejects.toThrow('(9100_other.sql); update this one')
  })
})
