// The tables in an organization's export, compared with the catalogue: a new table or column that needs a decision
// fails here.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SEALED_COLUMNS } from '../src/admin/org-transfer.ts'
import { EXPORTED_KEYS } from '../src/api/orgs/export-store.ts'
import { listOrgTables } from '../src/db/org-copy.ts'
import { startTestApp, type TestApp } from './harness.ts'

/** Belong to a cell: people and their credentials. `outbox` has sealed mails in its payload. */
const PER_CELL = [
  ...[
    'address_proofs',
    'clock_mark',
    'frozen_orgs',
    'health',
    'held_mails',
    'identities',
    'log_settings',
    'mail_recipients',
    'personal_keys',
    'schema_migrations',
    'secret_check',
  ],
  ...['sessions', 'sign_in_attempts', 'sign_in_links', 'users', 'workers'],
]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

it('has every table of the database, except those that belong to a cell', async () => {
  const rows = await app.sql(`select c.relname::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`)
  const copied = (await listOrgTables(app.owner)).map(({ name }) => name)
  expect([...copied, ...PER_CELL].sort()).toEqual(rows.map(({ name }) => String(name)).sort())
  for (const table of Object.keys(EXPORTED_KEYS)) expect([...copied, 'frozen_orgs']).toContain(table)
})

it('knows every column with a sealed secret', async () => {
  const rows = await app.sql(`select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and column_name like '%sealed%' and table_name not in ('sign_in_attempts', 'secret_check', 'held_mails')`)
  const known = Object.entries(SEALED_COLUMNS).flatMap(([table, columns]) =>
    Object.keys(columns).map(column => `${table}.${column}`),
  )
  expect(rows.map(({ name }) => String(name)).sort()).toEqual(known.sort())
})
