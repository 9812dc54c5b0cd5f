import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainSharedOrgs, fillOrg, listOrgTables, readOrgContent } from '../../../test/filled-org.ts'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { DERIVED_TABLES, EXCLUDED_COLUMNS, EXPORTED_KEYS } from './export-store.ts'

const ATTACHED = 'what was attached'
const LOST = 'f'.repeat(64)
const MANY = 250
/** Several batches, and longer than one part of the export. */
const LONG = 250

let app: TestApp
let org_id: string
let folder: string
beforeAll(async () => {
  app = await startTestApp()
  org_id = (await fillOrg(app, app.admin, 'acme')).org_id
  await fillOrg(app, app.outsider, 'other-corp')
  await drainSharedOrgs(app)
  for (const { id } of (await app.admin.get('/service-accounts/acme/robot/api-keys')).body) {
    await app.admin.post(`/service-accounts/acme/robot/api-keys/${id}/rotate`, {})
  }
  await app.sql(
    `insert into former_flow_names (org_id, name, flow_id)
     select org_id, 'former-' || i, flow_id from flows, generate_series(1, $2::int) i
     where org_id = $1 and name = 'second'`,
    [org_id, MANY],
  )
  await app.sql(
    `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
     select $1, gen_random_uuid(), 'flow_created', now(), 'x', 'x', jsonb_build_object('long', repeat('x', 50000))
     from generate_series(1, $2::int)`,
    [org_id, LONG],
  )
  await attach()
  folder = mkdtempSync(join(tmpdir(), 'waybill-export-'))
  await unpack()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await app.stop()
})

/** One attachment in the evidence store, and one that is missing from it. */
async function attach(): Promise<void> {
  await app.member.put('/flows/acme', { name: 'exported', description: '' })
  await app.member.put('/trails/acme/exported', { name: 'trail' })
  const path = '/attestations/acme/exported/trail/trail/generic'
  const data_json = (attestation_name: string) => JSON.stringify({ attestation_name, is_compliant: true })
  await app.member.form('POST', path, { data_json: data_json('kept'), attachment_file: makeFile(ATTACHED) })
  await app.member.form('POST', path, {
    data_json: data_json('lost'),
    attachment_file: makeFile('soon gone'),
  })
  await app.sql(`update attestations set evidence_sha256 = $1 where attestation_name = 'lost'`, [LOST])
}

/** Downloads and unpacks the export. */
async function unpack(): Promise<void> {
  const answer = await app.server.inject({
    url: '/api/v2/organizations/acme/export',
    headers: { authorization: `Bearer ${app.admin.key}` },
  })
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('application/gzip')
  expect(answer.headers['content-disposition']).toContain('acme-export.tgz')
  const archive = join(folder, 'archive.tgz')
  writeFileSync(archive, answer.rawPayload)
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  rmSync(archive)
}

/** The paths of all files. */
const listFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

const listExportedTables = async () =>
  (await listOrgTables(app)).filter(table => !DERIVED_TABLES.includes(table))

const listParts = (table: string) =>
  readdirSync(folder).filter(name => new RegExp(`^${table}(-\\d+)?\\.jsonl$`).test(name))

function readRows(table: string): Record<string, unknown>[] {
  return listParts(table).flatMap(name =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line)),
  )
}

describe('the list of tables', () => {
  it('has every table with org_id that is not derived, with its key', async () => {
    const keys = await app.sql(
      `
      select c.relname::text as name, array_agg(a.attname::text order by k.place) as key
      from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary,
        unnest(i.indkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attnum = k.attnum
      where a.attrelid = c.oid and c.relname = any ($1)
      group by 1`,
      [await listExportedTables()],
    )
    const found = Object.fromEntries(keys.map(({ name, key }) => [name, (key as string[]).slice(1)]))
    const listed = Object.entries(EXPORTED_KEYS).map(([name, key]) => [name, Object.keys(key)])
    expect(Object.fromEntries(listed)).toEqual(found)
  })

  it('excludes every bytea column except those with which the export can be verified', async () => {
    const columns = await app.sql(
      `select c.relname::text as table, a.attname::text as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relname = any ($1) and (a.atttypid = 'bytea'::regtype or a.attname ~ 'secret|token_hash|sealed|password')`,
      [await listOrgTables(app)],
    )
    const shown = columns.filter(({ column }) => !(EXCLUDED_COLUMNS as readonly unknown[]).includes(column))
    const names = shown.map(({ table, column }) => `${table}.${column}`)
    expect(names.sort()).toEqual([
      'events.salt',
      'log_checkpoints.root',
      'log_cosigned.root',
      'log_heads.tag_key',
      'log_leaves.body_hash',
      'log_leaves.leaf_hash',
      'log_leaves.tags',
      'log_nodes.hash',
      'templates.content_sha256',
    ])
  })
})

describe('200', () => {
  it('has every row of the org, in every table, and none of another org', async () => {
    const content = await readOrgContent(app, org_id)
    for (const [table, { rows }] of Object.entries(content)) {
      if (DERIVED_TABLES.includes(table)) continue
      const exported = readRows(table)
      expect(rows, table).toBeGreaterThan(0)
      // The export event is in it, because it is recorded before the file starts.
      expect(exported.length, table).toBe(rows)
      expect(new Set(exported.map(row => row.org_id)), table).toEqual(new Set([org_id]))
      expect(new Set(exported.map(row => JSON.stringify(row))).size, table).toBe(rows)
    }
    expect(content.former_flow_names?.rows).toBeGreaterThan(MANY)
  })

  it('has the attachments, and lists those missing from the store', () => {
    const sha256 = createHash('sha256').update(ATTACHED).digest('hex')
    expect(readFileSync(join(folder, 'attachments', sha256), 'utf8')).toBe(ATTACHED)
    expect(readFileSync(join(folder, 'attachments', 'LOST.txt'), 'utf8')).toBe(`${LOST}\n`)
  })

  it('lists the members', () => {
    expect(readRows('people').map(({ name }) => name)).toEqual(expect.arrayContaining(['ada', 'max']))
  })

  it('contains no secrets', async () => {
    const hashes = await app.sql(`
      select encode(secret_hash, 'hex') as hash from service_account_keys
      union all select encode(secret_hash, 'hex') from ci_keys union all select encode(token_hash, 'hex') from ci_keys
      union all select encode(secret_hash, 'hex') from scim_tokens
      union all select encode(token_hash, 'hex') from invitations
      union all select webhook_sealed from notification_targets where webhook_sealed is not null
      union all select payload ->> 'sealed' from outbox where payload ? 'sealed'`)
    expect(hashes.length).toBeGreaterThan(8)
    const everything = listFiles().map(path => readFileSync(path, 'utf8'))
    for (const { hash } of hashes) {
      expect(everything.filter(text => text.includes(String(hash)))).toHaveLength(0)
    }
    for (const row of [...readRows('service_account_keys'), ...readRows('ci_keys'), ...readRows('outbox')]) {
      expect(
        Object.keys(row).filter(column => (EXCLUDED_COLUMNS as readonly string[]).includes(column)),
      ).toEqual([])
    }
  })

  it('splits long tables, and is verified by sha256sum', () => {
    expect(listParts('events')).toEqual(expect.arrayContaining(['events.jsonl', 'events-2.jsonl']))
    expect(listParts('flows')).toEqual(['flows.jsonl'])
    const checked = spawnSync('sha256sum', ['-c', '--strict', 'manifest.sha256'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(checked.status).toBe(0)
    expect(checked.stdout.trim().split('\n')).toHaveLength(listFiles().length - 1)
    expect(readFileSync(join(folder, 'README.txt'), 'utf8')).toContain('the organization acme')
  })

  it('is recorded', async () => {
    expect(await app.readEvents('org_exported')).toEqual([
      { kind: 'org_exported', actor: 'ada', data: { org: 'acme' } },
    ])
  })
})

describe('403', () => {
  it('is for admins, and not for an organization that is being deleted', async () => {
    for (const client of [app.member, app.snapshotter, app.reader, app.outsider]) {
      expect((await client.get('/organizations/acme/export')).status).toBe(403)
    }
    await app.admin.delete('/organizations/acme', { confirm: 'acme' })
    const refused = await app.admin.get('/organizations/acme/export')
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'Access denied to /api/v2/organizations/acme/export' },
    ])
    expect(await app.readEvents('org_exported')).toHaveLength(1)
  })
})
