// An upgrade while the last released version serves requests: none of them fails, whatever happens to the process that
// migrates, and the old version can start again until all processes are new.
import { describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS, migrate, readMigrationState, SchemaProblem } from '../src/db/migrate.ts'
import { getShippedMigrations, parseMigration } from '../src/db/migration-files.ts'
import {
  getReleasedMigrations,
  makeOldDatabase,
  makeOldRequests,
  type OldDatabase,
  startOldClients,
} from './old-version.ts'
import { until } from './patience.ts'

const CLIENTS = 6

/** What the next versions might bring: tables that all requests use are altered, and one is added. */
const COMING = [
  [
    '9001_columns.sql',
    '-- min-compatible: 0022\nalter table trails add planted int; alter table environments add planted int;',
  ],
  [
    '9002_table.sql',
    `-- min-compatible: 0022
create table planted (org_id uuid references orgs (org_id), primary key (org_id))`,
  ],
  [
    '9003_index.sql',
    `-- concurrently
-- min-compatible: 0022
create index concurrently events_planted on events (org_id, actor, happened_at)`,
  ],
].map(([name = '', sql = '']) => parseMigration(name, sql))
const shipped = [...getShippedMigrations(), ...COMING]
const upgrade = shipped.slice(getReleasedMigrations().length).map(({ name }) => name)

/** Ends the session that migrates as soon as it waits for the lock that `table` has. Returns why it failed. */
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

  it('that is killed ten times half-way succeeds at the next start, which leaves nothing to do', async () => {
    const old = await makeOldDatabase()
    const indexed = ['trails', 'flows', 'trail_repos', 'artifacts', 'attestations', 'evidence_slots']
    const places = [...indexed, 'deployments', 'allow_list', 'environments', 'events']
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

  it('attaches a large event log as it is, after a check that is validated while requests go on', async () => {
    const old = await makeOldDatabase()
    const request = makeOldRequests(old.connectService(), old.org_id)
    await request()
    // Too large to be attached in one step.
    await old.owner.query(
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
       select $1, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'test', now(), 'ada', 'r',
         jsonb_build_object('text', repeat('x', 1000))
       from generate_series(1, 20000) n`,
      [old.org_id],
    )
    const { rows: before } = await old.owner.query(
      `select pg_relation_filenode('events') as file, count(*)::int as rows from events`,
    )
    const step = async (name: string) => {
      const until_here = getShippedMigrations().filter(migration => migration.name <= name)
      await migrate(old.owner, { shipped: until_here })
      await request()
      const { rows } = await old.owner.query(
        `select relkind, (select convalidated from pg_constraint where conname = 'events_are_before_months') as is_valid
         from pg_class where oid = 'events'::regclass`,
      )
      return rows[0]
    }
    const steps = getShippedMigrations().filter(({ name }) => name.includes('_event_months'))
    const states = []
    for (const { name } of steps) states.push(await step(name))
    expect(states).toEqual([
      { relkind: 'r', is_valid: false },
      { relkind: 'r', is_valid: true },
      { relkind: 'p', is_valid: null },
    ])
    const { rows: after } = await old.owner.query(
      `select p.relname as name, pg_relation_filenode(p.oid) as file from pg_inherits h
       join pg_class p on p.oid = h.inhrelid where h.inhparent = 'events'::regclass order by 1`,
    )
    expect(after.find(({ name }) => name.startsWith('events_before_'))?.file).toBe(before[0].file)
    expect(after.at(-1)?.name).toBe('events_later')
    const { rows: counted } = await old.owner.query('select count(*)::int as rows from events')
    expect(counted[0].rows).toBeGreaterThan(before[0].rows)
    expect(await listInvalidIndexes(old)).toEqual([])
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
      '9001_columns.sql could not lock a table that is in use, in 20 attempts; end long transactions and start again',
    )
    expect(pauses).toBe(MAX_ATTEMPTS - 1)
    const { rowCount } = await old.owner.query(
      `select from pg_attribute where attname = 'planted' and attrelid = 'trails'::regclass`,
    )
    expect(rowCount).toBe(0)
  })

  it('does not need one on tables that it does not change', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner)
    const holder = await old.connectOwner()
    await holder.query('begin; lock table flows, trails, environments, events in access share mode')
    const pauses: number[] = []
    const pause = async (ms: number) => {
      pauses.push(ms)
    }
    const only = ['9002_table.sql']
    expect(await migrate(old.owner, { shipped, only, pause })).toEqual(only)
    expect(pauses).toEqual([])
    const { rows } = await old.owner.query(
      `select relrowsecurity, relforcerowsecurity from pg_class where relname = 'planted'`,
    )
    expect(rows).toEqual([{ relrowsecurity: true, relforcerowsecurity: true }])
  })
})

describe('a program', () => {
  it('starts on the schema of a newer one that says so', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner, { shipped })
    expect(await migrate(old.owner, { shipped: getReleasedMigrations() })).toEqual([])
    expect(await migrate(old.owner)).toEqual([])
  })

  it('refuses the schema of a newer one that requires a later program', async () => {
    const old = await makeOldDatabase()
    const contract = parseMigration('9004_contract.sql', '-- min-compatible: 9001\nselect 1;')
    await migrate(old.owner, { shipped: [...shipped, contract] })
    const refused = await migrate(old.owner).catch(error => error)
    expect(refused).toBeInstanceOf(SchemaProblem)
    expect(refused.message).toBe(
      'The database was migrated by a newer Waybill (9001_columns.sql); update this one',
    )
    expect(await migrate(old.owner, { shipped: shipped.slice(0, -2) })).toEqual([])
  })

  it('refuses a schema with a migration of its own age that it does not know', async () => {
    const old = await makeOldDatabase()
    await migrate(old.owner)
    const other = parseMigration('0005_other.sql', '-- min-compatible: 0001\nselect 1;')
    await migrate(old.owner, {
      shipped: [...getShippedMigrations(), other].sort((a, b) => (a.name < b.name ? -1 : 1)),
    })
    await expect(migrate(old.owner)).rejects.toThrow('(0005_other.sql); update this one')
  })
})
