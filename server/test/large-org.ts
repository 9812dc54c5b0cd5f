// Makes two filled organizations large: copies each of their rows many times, in every table, inside the database.
// The copies differ in everything that is unique. Copy 7 of a trail has copy 7 of its artifact, so joins find
// partners.
import { setEmail, signInByMail } from './browser.ts'
import { fillOrg } from './filled-org.ts'
import { ORG, OTHER_ORG, type TestApp } from './harness.ts'

export interface Size {
  /** The approximate number of rows per organization in each table that grows with use. */
  rows: number
  /** The number of flows, environments, users and the like, which the other rows are spread over. */
  holders: number
}

/** Tables that grow with the number of people and projects, not with every pipeline and report. */
export const HOLDERS = [
  'badges',
  'controls',
  'control_versions',
  'custom_attestation_types',
  'custom_attestation_type_versions',
  'delivery_breakers',
  'environment_members',
  'environment_policies',
  'environments',
  'flows',
  'former_environment_names',
  'former_flow_names',
  'mail_domains',
  'memberships',
  'notification_environments',
  'notification_flows',
  'notification_targets',
  'notifications',
  'policies',
  'policy_versions',
  'repos',
  'scim_group_members',
  'scim_groups',
  'scim_tokens',
  'scim_users',
  'service_accounts',
  'template_artifacts',
  'template_slots',
  'templates',
  'trust_rules',
  'users',
]

/** One row for each organization or for the whole database, or rows without an organization. */
const SINGLE = [
  'decisions',
  'frozen_orgs',
  'health',
  'history_imports',
  'log_heads',
  'log_settings',
  'notification_configs',
  'org_usage',
  'orgs',
  'schema_migrations',
  'secret_check',
  'sending_counts',
  'workers',
]

/** The ids of parent rows, under every column name that refers to them. */
const HOLDER_IDS =
  /^(accepted_by|control|creating_user|environment|flow|group|member|notification|owner_user|policy|queue|repo|rule|scim|service_account|target|template|type|user)(_id)?s?$/

/** These identify a row for its readers, although no constraint requires it. */
const VARIED =
  /^(artifact_key|display_name|email|evidence_sha256|external_id|filename|fingerprint|artifact_fingerprint|git_commit|name|sent_to|stored_sha256|user_name)$/

interface Column {
  name: string
  type: string
  is_unique: boolean
}

/** Fills two organizations and records their rows: only these are copied, not later ones. */
export async function fillTwoOrgs(app: TestApp): Promise<void> {
  await fillOrg(app, app.admin, ORG)
  await fillOrg(app, app.outsider, OTHER_ORG)
  await setEmail(app, 'ada', 'ada@acme.example')
  await signInByMail(app, 'ada@acme.example')
  for (const { table } of await readTables(app))
    await app.sql(`create temp table first_${table} as table ${table}`)
}

/** Multiplies the recorded rows, beside everything that was added since. Analyzes nothing. */
export async function multiplyRows(app: TestApp, size: Size): Promise<void> {
  await app.sql(COPY_FUNCTIONS)
  // The copies need no triggers and no look-ups of foreign keys.
  await app.sql('set session_replication_role = replica')
  for (const { table, columns } of await readTables(app)) await multiply(app, table, columns, size)
  await app.sql('set session_replication_role = origin')
}

const COPY_FUNCTIONS = `
  create function pg_temp.copy_id(id uuid, copy int) returns uuid language sql immutable as $$
    select case when id = '00000000-0000-0000-0000-000000000000' then id
      else overlay(id::text placing lpad(to_hex(copy), 8, '0') from 25 for 8)::uuid end $$;
  create function pg_temp.copy_ids(ids uuid[], copy int) returns uuid[] language sql immutable as $$
    select coalesce((select array_agg(pg_temp.copy_id(id, copy)) from unnest(ids) id), '{}') $$;
  create function pg_temp.copy_text(value text, copy int) returns text language sql immutable as $$
    select case when length(value) >= 40 and translate(value, '0123456789abcdef', '') = '' then overlay(value placing lpad(to_hex(copy), 8, '0') from 1 for 8)
      when value like '%@%' then copy::text || '.' || value
      else value || '-' || copy::text end $$;`

async function readTables(app: TestApp): Promise<{ table: string; columns: Column[] }[]> {
  const rows = await app.sql(
    `select c.relname::text as table, json_agg(json_build_object('name', a.attname,
       'type', format_type(a.atttypid, null), 'is_unique', exists (
         select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any (i.indkey)))) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not a.attisdropped and a.attgenerated = '' and c.relname <> all ($1)
     group by c.oid order by 1`,
    [SINGLE],
  )
  return rows as unknown as { table: string; columns: Column[] }[]
}

async function multiply(app: TestApp, table: string, columns: Column[], size: Size): Promise<void> {
  const isHolder = HOLDERS.includes(table)
  const [row] = await app.sql(`select count(*)::int as found from first_${table}`)
  // The rows to copy belong to two organizations.
  const copies = isHolder ? size.holders : Math.ceil((2 * size.rows) / Math.max(2, Number(row?.found)))
  const values = columns.map(copyColumn)
  const names = columns.map(({ name }) => `"${name}"`)
  await app.sql(
    `insert into ${table} (${names.join(', ')})
     select ${values.join(', ')}
     from first_${table}, lateral (select n, (n - 1) % ${size.holders} + 1 as holder from generate_series(1, ${copies}) n) c
     on conflict do nothing`,
  )
}

function copyColumn({ name, type, is_unique }: Column): string {
  const column = `"${name}"`
  const copy = HOLDER_IDS.test(name) ? 'holder' : 'n'
  if (name === 'org_id' || name === 'default_org_id') return column
  if (type === 'uuid') return `pg_temp.copy_id(${column}, ${copy}::int)`
  if (type === 'uuid[]') return `pg_temp.copy_ids(${column}, ${copy}::int)`
  if (type === 'text' && (is_unique || VARIED.test(name))) return `pg_temp.copy_text(${column}, n::int)`
  if (type === 'bytea' && is_unique) return `sha256(${column} || n::text::bytea)`
  if (type === 'integer' && (name === 'snapshot_index' || (is_unique && name !== 'version')))
    return `${column} + n::int`
  return column
}
