// Tenancy as the database itself keeps it, asked of the catalogue of the migrated schema and tried with raw SQL
// as the application role. What makes the checks fail is tried as well.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { fillKeyless } from './ci-issuer.ts'
import { APP_PASSWORD } from './cluster.ts'
import { fillControls } from './controls.ts'
import { podReport } from './environments.ts'
import { fillApproval } from './filled-org.ts'
import { type Client, file, type TestApp, testApp } from './harness.ts'
import { fillNotifications } from './notification-targets.ts'
import { build, on, print } from './reports.ts'
import { fillScim } from './scim.ts'

/** They exist before any org is known; nothing else may live outside an org. */
const IDENTITY_TABLES = [
  'identities',
  'orgs',
  'personal_keys',
  'sessions',
  'sign_in_attempts',
  'sign_in_links',
  'users',
]
const TABLES = `select c.oid, c.relname as name, c.relrowsecurity, c.relforcerowsecurity,
    (select attnum from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped) as org
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'`

interface Problem {
  table: string
  problem: string
}

let app: TestApp
let asApp: pg.Client
beforeAll(async () => {
  app = await testApp()
  const { database } = app.owner
  asApp = new pg.Client({ ...inject('cluster'), database, user: 'waybill_app', password: APP_PASSWORD })
  await asApp.connect()
  await fillBothOrgs()
})
afterAll(async () => {
  await asApp.end()
  await app.stop()
})

describe('the catalogue', () => {
  it('has row-level security enabled and forced on every table', async () => {
    expect((await rows(TABLES)).length).toBeGreaterThan(10)
    expect(await unguardedTables()).toEqual([])
  })

  it('has org_id lead every key, except in the identity tables', async () => {
    const outside = new Set((await tenancyProblems()).map(({ table }) => table))
    expect([...outside].sort()).toEqual(IDENTITY_TABLES)
  })

  it('has no view, function or policy around the walls', async () => {
    expect(await detours()).toEqual([])
  })

  it('gives the application role nothing it does not need', async () => {
    expect(await rolePowers()).toEqual([])
  })

  it('reports what breaks a rule', async () => {
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
        grant update (data) on events to waybill_app;
        grant truncate on trails to waybill_app;
        alter table outbox owner to waybill_app;
      `)
      expect((await unguardedTables()).map(({ table }) => table)).toEqual(['bad', 'stray'])
      const broken = (await tenancyProblems()).filter(({ table }) => !IDENTITY_TABLES.includes(table))
      expect(broken).toEqual([
        { table: 'bad', problem: 'org_id does not lead bad_name_key' },
        { table: 'bad', problem: 'org_id does not lead bad_pkey' },
        { table: 'bad', problem: 'org_id is not in bad_flow_id_fkey' },
        { table: 'flows', problem: 'org_id does not lead flows_flow_id' },
        { table: 'stray', problem: 'org_id is missing' },
      ])
      expect((await detours()).map(({ table }) => table)).toEqual(['bad', 'copied', 'peek', 'reach'])
      expect((await rolePowers()).map(({ table }) => table)).toEqual(['events', 'outbox', 'trails'])
    } finally {
      await app.owner.query('rollback')
    }
  })

  it('reports a role with powers', async () => {
    await app.owner.query('begin')
    try {
      await app.owner.query('alter role waybill_app bypassrls createdb')
      expect(await rolePowers()).toContainEqual({ table: 'waybill_app', problem: 'has a power of its own' })
    } finally {
      await app.owner.query('rollback')
    }
  })
})

describe('the application role with raw SQL', () => {
  it('has something to find: every table holds rows of both orgs', async () => {
    for (const { name, org } of await rows(TABLES)) {
      const least = org === null ? 2 : (await rows(`select distinct org_id from ${name}`)).length
      expect(least, String(name)).toBeGreaterThanOrEqual(2)
    }
  })

  it('sees no row of any table without an org', async () => {
    for (const { name } of await rows(TABLES)) expect(await seen(String(name), {}), String(name)).toBe(0)
  })

  it('sees rows of the named org and of no other', async () => {
    const org = await orgId('acme')
    for (const { name, org: column } of await rows(TABLES)) {
      if (column === null) continue
      const foreign = await seen(`${name} where org_id <> '${org}'`, { 'app.org': org })
      expect(foreign, String(name)).toBe(0)
      expect(await seen(String(name), { 'app.org': org }), String(name)).toBeGreaterThan(0)
    }
    const strangers = "users where name = 'oscar'"
    expect(await seen(strangers, { 'app.org': org })).toBe(0)
    expect(await seen('users', { 'app.org': org })).toBeGreaterThan(0)
    expect(await seen('personal_keys', { 'app.org': org })).toBe(0)
  })

  it('cannot write a row of another org', async () => {
    const [mine, other] = [await orgId('acme'), await orgId('other-corp')]
    const attempts = [
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
       values ('${other}', gen_random_uuid(), 'flow_created', now(), 'x', 'x', '{}')`,
      `insert into templates (org_id, template_id, content_sha256, content, parsed, fresh_state, created_at)
       values ('${other}', gen_random_uuid(), 'x', 'x', '{}', 'COMPLIANT', now())`,
      ...['flows', 'trails', 'outbox', 'former_flow_names'].map(
        table => `update ${table} set org_id = '${other}'`,
      ),
    ]
    for (const attempt of attempts) expect(await refusal(attempt, mine), attempt).toBe('42501')
    for (const table of ['flows', 'trails', 'outbox']) {
      const done = await inOrg(mine, `update ${table} set org_id = org_id where org_id = '${other}'`)
      expect(done.rowCount, table).toBe(0)
    }
  })

  it('cannot change history', async () => {
    const org = await orgId('acme')
    const history = [
      ...['update events set kind = kind', 'delete from events', 'truncate events'],
      ...[
        'attestations',
        'snapshots',
        'environment_events',
        'deployments',
        'policy_versions',
        'membership_events',
      ].flatMap(table => [`update ${table} set org_id = org_id`, `delete from ${table}`]),
      'delete from invitations',
      // Intervals are closed and nothing else.
      ...['update runs set instances = instances', 'update verdicts set compliant = compliant'],
      ...['delete from runs', 'delete from verdicts'],
    ]
    for (const attempt of history) {
      expect(await refusal(attempt, org), attempt).toBe('42501')
    }
    for (const attempt of ['create table mine (a int)', 'alter table flows disable row level security']) {
      expect(await refusal(attempt, org), attempt).toBe('42501')
    }
  })
})

async function unguardedTables(): Promise<Problem[]> {
  return problems(`select name as table, 'row-level security is not forced' as problem from (${TABLES}) t
    where not (relrowsecurity and relforcerowsecurity) order by 1`)
}

/** Where org_id is missing, does not lead a unique key, or is left out of a key to a table that has it. */
async function tenancyProblems(): Promise<Problem[]> {
  return problems(`
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

/** Views that see with their owner's eyes, functions that act with their owner's hands, policies for everybody. */
async function detours(): Promise<Problem[]> {
  return problems(`
    select relname as table, 'is a view without security_invoker' as problem from pg_class
    where relnamespace = 'public'::regnamespace
      and (relkind = 'm' or relkind = 'v' and not coalesce('security_invoker=true' = any (reloptions), false))
    union all
    select proname, 'runs as its owner' from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
    union all
    select p.tablename, 'the policy ' || p.policyname || ' is for ' || array_to_string(p.roles, ', ')
    from pg_policies p
    where p.schemaname = 'public' and not (p.permissive = 'PERMISSIVE' and p.roles = array[
      case p.policyname when 'administration' then (select tableowner from pg_tables t
        where t.schemaname = 'public' and t.tablename = 'orgs') else 'waybill_app' end]::name[])
    order by 1, 2`)
}

async function rolePowers(): Promise<Problem[]> {
  return problems(`
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
    select 'events', 'may be changed' where has_any_column_privilege('waybill_app', 'events', 'UPDATE')
      or has_table_privilege('waybill_app', 'events', 'DELETE')
    union all
    select 'public', 'may be created in' where has_schema_privilege('waybill_app', 'public', 'CREATE')
    union all
    select 'schema_migrations', 'may be changed'
    where has_table_privilege('waybill_app', 'schema_migrations', 'INSERT, UPDATE, DELETE')
    order by 1, 2`)
}

/** Rows of both orgs in every table, so that an empty answer means a wall and not an empty table. */
async function fillBothOrgs(): Promise<void> {
  for (const [client, org] of [
    [app.member, 'acme'],
    [app.outsider, 'other-corp'],
  ] as const) {
    await client.put(`/flows/${org}`, { name: 'first', description: '' })
    await client.put(`/trails/${org}/first`, { name: 'trail' })
    await client.post(`/custom-attestation-types/${org}`, { name: 'type' })
    await reportBuild(client, org)
    const admin = org === 'acme' ? app.admin : app.outsider
    const invitation = { email: 'ines@example.com', role: 'reader' }
    expect((await admin.post(`/invitations/${org}`, invitation)).status).toBe(201)
    expect((await admin.put(`/flows/${org}/first/rename`, { new_name: 'second' })).status).toBe(200)
    await app.sql(
      `with account as (
         insert into service_accounts (org_id, service_account_id, name, display_name, privilege, created_at)
         select org_id, gen_random_uuid(), 'bot', 'bot', 'reader', now() from orgs where name = $1
         returning org_id, service_account_id
       ), key as (
         insert into service_account_keys
           (org_id, service_account_id, key_id, secret_hash, hint, description, created_at)
         select org_id, service_account_id, gen_random_uuid(), decode(md5($1), 'hex'), '', '', now() from account
       )
       insert into outbox (org_id, job_id, kind, payload, created_at, due_at)
       select org_id, gen_random_uuid(), 'test', '{}', now(), now() from account`,
      [org],
    )
    await fillEnvironments(client, org)
    await fillControls(admin, org)
    await fillNotifications(app, admin, org, 'cluster')
    await fillKeyless(app, org)
    await fillScim(app, admin, org)
    await app.sql(
      `with repo as (
         insert into repos (org_id, repo_id, provider, external_id, name, url, description, namespace_path,
                            additional_info, created_at, last_modified_at)
         select org_id, gen_random_uuid(), 'github', '1', 'owner/name', '', '', '[]', '{}', now(), now()
         from orgs where name = $1
         returning org_id, repo_id
       )
       insert into trail_repos (org_id, trail_id, repo_id)
       select repo.org_id, t.trail_id, repo.repo_id from repo join trails t on t.org_id = repo.org_id`,
      [org],
    )
  }
}

/** A logical environment with a member that had another name. */
async function fillEnvironments(client: Client, org: string): Promise<void> {
  await client.put(`/environments/${org}`, { name: 'old-name', type: 'K8S' })
  await client.put(`/environments/${org}/old-name/rename`, { new_name: 'cluster' })
  await client.put(`/environments/${org}`, { name: 'all', type: 'logical' })
  const joined = await client.put(`/environments/${org}/all/join`, { physical_env_name: 'cluster' })
  expect(joined.status).toBe(200)
  await fillPolicies(client, org)
}

/** The member is judged by a policy, and lets one artifact be. */
async function fillPolicies(client: Client, org: string): Promise<void> {
  await client.put(`/policies/${org}/rules`, { policy_yaml: '_schema: https://waybill.example/v1\n' })
  const attached = await client.post(`/environments/${org}/cluster/policies`, { policy_names: ['rules'] })
  expect(attached.status).toBe(200)
  const entry = { artifact_fingerprint: print('b'), artifact_name: 'image:1', description: 'reviewed' }
  expect((await client.put(`/allowlists/${org}/cluster`, entry)).status).toBe(201)
  // What starts is marked, to be looked at once more.
  const done = await client.put(`/environments/${org}/cluster/report/K8S`, podReport('a', 'b'))
  expect(done.status).toBe(200)
}

/** A build with evidence, under a template that asks for both, in a request that names itself. */
async function reportBuild(client: Client, org: string): Promise<void> {
  const template =
    'version: 1\ntrail:\n  artifacts:\n    - name: image\n      attestations:\n        - {name: a, type: generic}\n'
  await client.form('PUT', `/flows/${org}/template_file`, {
    data_json: JSON.stringify({ name: 'built' }),
    template_file: file(template),
  })
  const artifact = build(print('a'), on('trail'))
  await client.call('POST', `/artifacts/${org}/built`, artifact, { 'idempotency-key': 'once' })
  const attestation = { attestation_name: 'a', artifact_fingerprint: print('a'), is_compliant: true }
  const done = await client.post(`/attestations/${org}/built/trail/trail/generic`, attestation)
  expect(done.status).toBe(201)
  await fillApproval(client, org, 'built', print('a'))
}

async function rows(text: string): Promise<Record<string, unknown>[]> {
  return app.sql(text)
}

async function problems(text: string): Promise<Problem[]> {
  return (await rows(text)).map(row => ({ table: String(row.table), problem: String(row.problem) }))
}

async function orgId(name: string): Promise<string> {
  return String((await app.sql('select org_id from orgs where name = $1', [name]))[0]?.org_id)
}

/** How many rows the application role sees. */
async function seen(from: string, settings: Record<string, string>): Promise<number> {
  await asApp.query('begin')
  for (const [name, value] of Object.entries(settings)) await asApp.query(`set local ${name} = '${value}'`)
  const counted = await asApp.query(`select count(*)::int as seen from ${from}`)
  await asApp.query('rollback')
  return counted.rows[0].seen
}

async function inOrg(org_id: string, text: string): Promise<pg.QueryResult> {
  await asApp.query(`begin; set local app.org = '${org_id}'`)
  try {
    return await asApp.query(text)
  } finally {
    await asApp.query('rollback')
  }
}

async function refusal(text: string, org_id: string): Promise<string | undefined> {
  try {
    await inOrg(org_id, text)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}
