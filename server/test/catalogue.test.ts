// Tenant isolation as the database enforces it: checked in the catalogue of the migrated schema and tested with raw
// SQL as the application role. Schemas that must fail the checks are tested too.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { fillBothOrgs } from './both-orgs.ts'
import { APP_PASSWORD } from './cluster.ts'
import { drainSharedOrgs } from './filled-org.ts'
import { startTestApp, type TestApp } from './harness.ts'

/** Needed before any org is known, or unique across orgs. No other table may lack org_id. */
const IDENTITY_TABLES = [
  ...['address_proofs', 'held_mails', 'identities', 'mail_domains', 'mail_recipients', 'orgs'],
  ...['personal_keys', 'sessions', 'sign_in_attempts', 'sign_in_links', 'users'],
]
/** The tables that each scope opens, either for all orgs or for the one user. Written by hand. */
const OPENED: Record<string, string[]> = {
  'app.worker': [
    ...['allow_list', 'audit_sink_cursors', 'delivery_attempts', 'delivery_breakers', 'environments'],
    ...['expiring_decisions', 'frozen_orgs', 'held_mails'],
    ...['history_imports', 'log_checkpoints', 'log_heads', 'log_leaves', 'log_witnesses'],
    ...['mail_domains', 'mail_recipients', 'org_usage', 'orgs', 'outbox', 'pending_judgements'],
    ...['personal_keys', 'service_account_keys', 'service_accounts'],
  ],
  'app.signin': [
    ...['address_proofs', 'identities', 'log_heads', 'log_leaves', 'mail_domains'],
    ...['memberships', 'orgs', 'personal_keys', 'sessions'],
    ...['sign_in_attempts', 'sign_in_links', 'users'],
  ],
  'app.key=00': [],
  'app.person=00000000-0000-0000-0000-000000000000': [],
}
const ALL_TABLES = `select c.oid, c.relname as name, c.relrowsecurity, c.relforcerowsecurity,
    (select attnum from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped) as org
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and c.relname not in ('schema_migrations', 'health', 'workers', 'secret_check', 'clock_mark', 'log_settings')`
/** Without the monthly partitions of the event log, which only the owner may use directly. */
const TABLES = `${ALL_TABLES} and not c.relispartition`
const PARTITIONS = `${ALL_TABLES} and c.relispartition`
/**
 * These create or analyze tables, give events from before the log a salt, or count for a person, which the
 * application cannot do itself; event-months, table-statistics, history and list-states.test.ts test them.
 */
const RUN_AS_OWNER =
  'analyze_grown_table import_events make_event_months split_later_events states_of_own_orgs'.split(' ')

/** The columns that an erasure empties; a policy refuses all other values. */
const ERASABLE = ['actor', 'request_id', 'data', 'caller', 'parts', 'salt']

interface Problem {
  table: string
  problem: string
}

let app: TestApp
let asApp: pg.Client
beforeAll(async () => {
  app = await startTestApp()
  const { database } = app.owner
  asApp = new pg.Client({ ...inject('cluster'), database, user: 'waybill_app', password: APP_PASSWORD })
  await asApp.connect()
  await fillBothOrgs(app)
  await drainSharedOrgs(app)
})
afterAll(async () => {
  await asApp.end()
  await app.stop()
})

describe('the catalogue', () => {
  it('has row-level security enabled and forced on every table', async () => {
    expect((await queryRows(TABLES)).length).toBeGreaterThan(10)
    expect(await listUnguardedTables()).toEqual([])
  })

  it('has org_id lead every key, except in the identity tables', async () => {
    const outside = new Set((await findTenancyProblems()).map(({ table }) => table))
    expect([...outside].sort()).toEqual(IDENTITY_TABLES)
  })

  it('has no view, function or policy that bypasses row-level security', async () => {
    expect(await findBypasses()).toEqual([])
  })

  it('gives the application role nothing it does not need', async () => {
    expect(await findRolePowers()).toEqual([])
  })

  it('reports every broken rule', async () => {
    await app.owner.query('begin')
    try {
      await app.owner.query(`
        create table bad (id uuid primary key, org_id uuid not null, name text unique, flow_id uuid);
        create unique index flows_flow_id on flows (flow_id);
        alter table bad add foreign key (flow_id) references flows (flow_id);
        create table stray (id uuid primary key);
        alter table stray enable row level security;
        create view peek as select * from flows;
        create materialized view copied as select * from flows;
        create function reach() returns bigint language sql security definer as 'select count(*) from flows';
        create policy everybody on bad using (true);
        grant update (kind) on events to waybill_app;
        grant truncate on trails to waybill_app;
        alter table outbox owner to waybill_app;
      `)
      expect((await listUnguardedTables()).map(({ table }) => table)).toEqual(['bad', 'stray'])
      const broken = (await findTenancyProblems()).filter(({ table }) => !IDENTITY_TABLES.includes(table))
      expect(broken).toEqual([
        { table: 'bad', problem: 'org_id does not lead bad_name_key' },
        { table: 'bad', problem: 'org_id does not lead bad_pkey' },
        { table: 'bad', problem: 'org_id is not in bad_flow_id_fkey' },
        { table: 'flows', problem: 'org_id does not lead flows_flow_id' },
        { table: 'stray', problem: 'org_id is missing' },
      ])
      expect((await findBypasses()).map(({ table }) => table)).toEqual(['bad', 'copied', 'peek', 'reach'])
      expect((await findRolePowers()).map(({ table }) => table)).toEqual(['events', 'outbox', 'trails'])
    } finally {
      await app.owner.query('rollback')
    }
  })

  it('reports a role with extra privileges', async () => {
    await app.owner.query('begin')
    try {
      await app.owner.query('alter role waybill_app bypassrls createdb')
      expect(await findRolePowers()).toContainEqual({
        table: 'waybill_app',
        problem: 'has a power of its own',
      })
    } finally {
      await app.owner.query('rollback')
    }
  })
})

describe('the application role with raw SQL', () => {
  it('may set the time in the only row of the health check, and do nothing else there', async () => {
    const org = await readOrgId('acme')
    expect((await runInOrg(org, 'update health set checked_at = null')).rowCount).toBe(1)
    for (const attempt of ['insert into health default values', 'delete from health', 'truncate health']) {
      expect(await readRefusal(attempt, org), attempt).toBe('42501')
    }
    expect(await readRefusal('update health set only_row = true', org)).toBe('42501')
    const guarded = `select relrowsecurity, relforcerowsecurity from pg_class where relname = 'health'`
    expect(await queryRows(guarded)).toEqual([{ relrowsecurity: true, relforcerowsecurity: true }])
  })

  it("may advance the clock's high-water mark, and neither reset nor remove it", async () => {
    const org = await readOrgId('acme')
    const moved = 'update clock_mark set database_at = database_at, time_at = time_at'
    expect((await runInOrg(org, moved)).rowCount).toBe(1)
    for (const attempt of [
      'update clock_mark set resets = resets + 1',
      'insert into clock_mark values (true, now(), now())',
      'delete from clock_mark',
      'truncate clock_mark',
    ]) {
      expect(await readRefusal(attempt, org), attempt).toBe('42501')
    }
    const guarded = `select relrowsecurity, relforcerowsecurity from pg_class where relname = 'clock_mark'`
    expect(await queryRows(guarded)).toEqual([{ relrowsecurity: true, relforcerowsecurity: true }])
  })

  it('sees and changes workers only to work or to measure', async () => {
    const org = await readOrgId('acme')
    expect((await runInOrg(org, 'select from workers')).rowCount).toBe(0)
    expect((await runInOrg(org, 'delete from workers')).rowCount).toBe(0)
    const added = `insert into workers values (gen_random_uuid(), now(), now())`
    expect(await readRefusal(added, org)).toBe('42501')
    const guarded = `select relrowsecurity, relforcerowsecurity from pg_class where relname = 'workers'`
    expect(await queryRows(guarded)).toEqual([{ relrowsecurity: true, relforcerowsecurity: true }])
  })

  it('has no access to a partition, except through its table', async () => {
    const org = await readOrgId('acme')
    const partitions = await queryRows(PARTITIONS)
    expect(partitions.length).toBeGreaterThan(4)
    for (const { name } of partitions) {
      for (const attempt of [
        `select from ${name}`,
        `insert into ${name} default values`,
        `drop table ${name}`,
      ]) {
        expect(await readRefusal(attempt, org), attempt).toBe('42501')
      }
    }
  })

  it('has something to find: every table holds rows of both orgs', async () => {
    for (const { name, org } of await queryRows(TABLES)) {
      const of_each = org === null ? `select from ${name}` : `select distinct org_id from ${name}`
      const least = (await queryRows(of_each)).length
      expect(least, String(name)).toBeGreaterThanOrEqual(2)
    }
  })

  it('sees no row of any table without an org', async () => {
    for (const { name } of await queryRows(TABLES))
      expect(await countVisibleRows(String(name), {}), String(name)).toBe(0)
  })

  it('sees rows of the named org and of no other', async () => {
    const org = await readOrgId('acme')
    for (const { name, org: column } of await queryRows(TABLES)) {
      if (column === null) continue
      const foreign = await countVisibleRows(`${name} where org_id <> '${org}'`, { 'app.org': org })
      expect(foreign, String(name)).toBe(0)
      expect(await countVisibleRows(String(name), { 'app.org': org }), String(name)).toBeGreaterThan(0)
    }
    expect(await countVisibleRows("users where name = 'oscar'", { 'app.org': org })).toBe(0)
    expect(await countVisibleRows('users', { 'app.org': org })).toBeGreaterThan(0)
    expect(await countVisibleRows('personal_keys', { 'app.org': org })).toBe(0)
  })

  it.each(Object.entries(OPENED))(
    'sees with %s alone only the rows that this scope opens',
    async (scope, opened) => {
      const [setting = '', value = 'a'] = scope.split('=')
      const visible: string[] = []
      for (const { name } of await queryRows(TABLES)) {
        if ((await countVisibleRows(String(name), { [setting]: value })) > 0) visible.push(String(name))
      }
      expect(visible.sort()).toEqual(opened)
    },
  )

  it('cannot write a row of another org', async () => {
    const [mine, other] = [await readOrgId('acme'), await readOrgId('other-corp')]
    const attempts = [
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
       values ('${other}', gen_random_uuid(), 'flow_created', now(), 'x', 'x', '{}')`,
      `insert into templates (org_id, template_id, content_sha256, content, parsed, fresh_state, created_at)
       values ('${other}', gen_random_uuid(), 'x', 'x', '{}', 'COMPLIANT', now())`,
      ...['flows', 'trails', 'outbox', 'former_flow_names'].map(
        table => `update ${table} set org_id = '${other}'`,
      ),
    ]
    for (const attempt of attempts) expect(await readRefusal(attempt, mine), attempt).toBe('42501')
    for (const table of ['flows', 'trails', 'outbox']) {
      const done = await runInOrg(mine, `update ${table} set org_id = org_id where org_id = '${other}'`)
      expect(done.rowCount, table).toBe(0)
    }
  })

  it('cannot change history', async () => {
    const org = await readOrgId('acme')
    const history = [
      ...['update events set kind = kind', 'delete from events', 'truncate events'],
      ...[
        ...['attestations', 'artifact_reports', 'approvals', 'snapshots'],
        ...['environment_events', 'deployments', 'policy_versions'],
        ...['control_versions', 'custom_attestation_type_versions'],
        ...['membership_events', 'late_reports', 'log_leaves', 'log_nodes'],
      ].flatMap(table => [`update ${table} set org_id = org_id`, `delete from ${table}`]),
      ...['delete from invitations', 'update attestation_files set name = name'],
      // Intervals may only be closed.
      ...['update runs set instances = instances', 'update verdicts set compliant = compliant'],
      ...['delete from runs', 'delete from verdicts'],
    ]
    for (const attempt of history) {
      expect(await readRefusal(attempt, org), attempt).toBe('42501')
    }
    expect((await runInOrg(org, 'delete from attestation_files')).rowCount).toBe(0)
    for (const attempt of ['create table mine (a int)', 'alter table flows disable row level security']) {
      expect(await readRefusal(attempt, org), attempt).toBe('42501')
    }
  })
})

async function listUnguardedTables(): Promise<Problem[]> {
  return queryProblems(`select name as table, 'row-level security is not forced' as problem from (${ALL_TABLES}) t
    where not (relrowsecurity and relforcerowsecurity) order by 1`)
}

/** Tables where org_id is missing, does not lead a unique key, or is left out of a foreign key. */
async function findTenancyProblems(): Promise<Problem[]> {
  return queryProblems(`
    select t.name as table, 'org_id is missing' as problem from (${TABLES}) t where t.org is null
    union all
    select t.name, 'org_id does not lead ' || i.indexrelid::regclass
    from (${TABLES}) t join pg_index i on i.indrelid = t.oid
    where t.org is not null and i.indisunique and i.indkey[0] <> t.org
    union all
    select t.name, 'it has no primary key' from (${TABLES}) t
    where not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary)
    union all
    select t.name, 'org_id is not in ' || c.conname
    from (${TABLES}) t
    join pg_constraint c on c.conrelid = t.oid and c.contype = 'f'
    join (${TABLES}) target on target.oid = c.confrelid and target.org is not null
    where not exists (
      select from unnest(c.conkey, c.confkey) as pair (own, its) where own = t.org and its = target.org
    )
    order by 1, 2`)
}

/**
 * Views and functions that run with their owner's rights, and policies for every role. `only_erase` revokes rights.
 */
async function findBypasses(): Promise<Problem[]> {
  return queryProblems(`
    select relname as table, 'is a view without security_invoker' as problem from pg_class
    where relnamespace = 'public'::regnamespace
      and (relkind = 'm' or relkind = 'v' and not coalesce('security_invoker=true' = any (reloptions), false))
    union all
    select proname, 'runs as its owner' from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
      and proname not in (${RUN_AS_OWNER.map(name => `'${name}'`).join(', ')})
    union all
    select p.tablename, 'the policy ' || p.policyname || ' is for ' || array_to_string(p.roles, ', ')
    from pg_policies p
    where p.schemaname = 'public' and not ((p.permissive = 'PERMISSIVE' or p.policyname = 'only_erase') and p.roles = array[
      case p.policyname when 'administration' then (select tableowner from pg_tables t
        where t.schemaname = 'public' and t.tablename = 'orgs') else 'waybill_app' end]::name[])
    order by 1, 2`)
}

async function findRolePowers(): Promise<Problem[]> {
  return queryProblems(`
    select relname as table, 'belongs to waybill_app' as problem from pg_class
    where relowner = 'waybill_app'::regrole and relkind <> 'i' and relnamespace = 'public'::regnamespace
    union all
    select nspname, 'belongs to waybill_app' from pg_namespace where nspowner = 'waybill_app'::regrole
    union all
    select datname, 'belongs to waybill_app' from pg_database where datdba = 'waybill_app'::regrole
    union all
    select rolname, 'has a power of its own' from pg_roles where rolname = 'waybill_app'
      and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication)
    union all
    select roleid::regrole::text, 'waybill_app is a member' from pg_auth_members
    where member = 'waybill_app'::regrole
    union all
    select relname, 'may be ' || privilege || 'd' from pg_class c,
      unnest(array['TRUNCATE', 'TRIGGER', 'REFERENCES']) privilege
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
      and c.relowner <> 'waybill_app'::regrole and has_table_privilege('waybill_app', c.oid, privilege)
    union all
    select 'events', 'may be changed' where exists (
        select from pg_attribute a where a.attrelid = 'events'::regclass and a.attnum > 0
          and a.attname not in (${ERASABLE.map(name => `'${name}'`).join(', ')})
          and has_column_privilege('waybill_app', 'events', a.attnum, 'UPDATE'))
      or has_table_privilege('waybill_app', 'events', 'DELETE')
    union all
    select 'public', 'may be created in' where has_schema_privilege('waybill_app', 'public', 'CREATE')
    union all
    select 'schema_migrations', 'may be changed'
    where has_table_privilege('waybill_app', 'schema_migrations', 'INSERT, UPDATE, DELETE')
    order by 1, 2`)
}

async function queryRows(text: string): Promise<Record<string, unknown>[]> {
  return app.sql(text)
}

async function queryProblems(text: string): Promise<Problem[]> {
  return (await queryRows(text)).map(row => ({ table: String(row.table), problem: String(row.problem) }))
}

async function readOrgId(name: string): Promise<string> {
  return String((await app.sql('select org_id from orgs where name = $1', [name]))[0]?.org_id)
}

/** Counts as the application role. */
async function countVisibleRows(from: string, settings: Record<string, string>): Promise<number> {
  await asApp.query('begin')
  for (const [name, value] of Object.entries(settings)) await asApp.query(`set local ${name} = '${value}'`)
  const counted = await asApp.query(`select count(*)::int as seen from ${from}`)
  await asApp.query('rollback')
  return counted.rows[0].seen
}

async function runInOrg(org_id: string, text: string): Promise<pg.QueryResult> {
  await asApp.query(`begin; set local app.org = '${org_id}'`)
  try {
    return await asApp.query(text)
  } finally {
    await asApp.query('rollback')
  }
}

async function readRefusal(text: string, org_id: string): Promise<string | undefined> {
  try {
    await runInOrg(org_id, text)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}
