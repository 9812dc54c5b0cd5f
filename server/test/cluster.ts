// Starts one PostgreSQL before all tests, with a migrated template database that every test file clones: the embedded
// one, or the one in TEST_POSTGRES_DIR (`npm run test:on -- postgres`). Not durable on purpose: crash tests use clusters of
// their own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAddress, type EmbeddedOptions, startEmbeddedPostgres } from '@waybill/embedded-postgres'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { build } from '../../scripts/run/prepare.mjs'
import { startTestRun } from '../../scripts/test/test-run.mjs'
import { migrate } from '../src/db/migrate.ts'
import { EMBEDDED_NAME } from '../src/db/open.ts'
import { KEEP_SEEDED_ROWS } from './kept-database.ts'
import { type SeededKeys, seed } from './seed.ts'

export const TEMPLATE_DATABASE = 'waybill_template'
export const APP_PASSWORD = 'app-password-of-the-test-cluster'

declare module 'vitest' {
  export interface ProvidedContext {
    cluster: DatabaseAddress
    /** The keys of the users in every test database. */
    seeded_keys: SeededKeys
    /** For files that are made once per run and shared by tests; removed with the cluster. */
    shared_dir: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Built here, because several workers that start the program would build it at the same time.
  await build()
  const { cluster_folder } = startTestRun()
  const data_dir = mkdtempSync(join(cluster_folder, 'waybill-test-'))
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // Writes as little as possible to the write-ahead log.
    wal_level: 'minimal',
    max_wal_senders: '0',
    // Autovacuum would keep visiting hundreds of short-lived databases.
    autovacuum: 'off',
    max_connections: '1000',
  }
  const cluster = await startEmbeddedPostgres({
    data_dir,
    name: EMBEDDED_NAME,
    password: 'owner-password',
    settings,
    ...selectPostgres(process.env.TEST_POSTGRES_DIR),
  })
  const { version, keys } = await makeTemplate(cluster.address)
  console.error(`The tests run on Node ${process.versions.node} and PostgreSQL ${version}`)
  project.provide('cluster', cluster.address)
  project.provide('seeded_keys', keys)
  const shared_dir = mkdtempSync(join(tmpdir(), 'waybill-shared-'))
  project.provide('shared_dir', shared_dir)
  return async () => {
    await cluster.stop()
    rmSync(data_dir, { recursive: true, force: true })
    rmSync(shared_dir, { recursive: true, force: true })
  }
}

/** The folder must contain bin/postgres and bin/initdb of a supported version. */
function selectPostgres(native_dir: string | undefined): Partial<EmbeddedOptions> {
  if (native_dir === undefined) return {}
  // Before version 17 the locales are those of the operating system, and macOS lacks C.UTF-8.
  const characters = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
  return { native_dir, locale: ['--lc-collate=C', `--lc-ctype=${characters}`] }
}

/** Returns the server version and the keys of the seeded users. */
async function makeTemplate(address: DatabaseAddress): Promise<{ version: string; keys: SeededKeys }> {
  const first = new pg.Client(address)
  await first.connect()
  await first.query(`create database ${TEMPLATE_DATABASE}`)
  await first.end()
  const owner = new pg.Client({ ...address, database: TEMPLATE_DATABASE })
  await owner.connect()
  await migrate(owner)
  await owner.query(`alter role waybill_app login password '${APP_PASSWORD}'`)
  const keys = await seed(owner)
  await owner.query(KEEP_SEEDED_ROWS)
  const { rows } = await owner.query('show server_version')
  await owner.end()
  return { version: rows[0].server_version, keys }
}
