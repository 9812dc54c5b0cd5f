// Databases as earlier versions left them (docs/adr/0021-rolling-upgrades.md): each is upgraded while clients of the
// released version use it. Afterwards the API shows what that version showed, and the checks find nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { findDifferences } from '../../scripts/old-databases/compare.mjs'
import { checkIntegrity } from '../src/admin/check.ts'
import { migrate, readMigrationState } from '../src/db/migrate.ts'
import { getShippedMigrations } from '../src/db/migration-files.ts'
import { packageRoot } from '../src/lib/package-root.ts'
import { addCleanUp } from './clean-ups.ts'
import { type Client, startTestApp } from './harness.ts'
import { openOldDatabase, startOldClients } from './old-version.ts'
import { createDatabase, makeScratchFolder } from './service.ts'

/** Two are enough to be in the way of a migration; upgrade.test.ts has more. */
const CLIENTS = 2
const KEPT = join(packageRoot, 'test', 'fixtures', 'databases')
const VERSIONS = readdirSync(KEPT)
  .filter(file => file.endsWith('.sql.gz'))
  .map(file => file.replace('.sql.gz', ''))

/** What a version showed of its database, and with what. */
interface Readings {
  key: string
  read_at_ms: number
  /** The files of the evidence store, by path, as base64. */
  evidence: Record<string, string>
  /** By path below /api/v2. */
  answers: Record<string, { status: number; body: unknown }>
}

const readKept = (file: string) => gunzipSync(readFileSync(join(KEPT, file))).toString('utf8')

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
  it('is upgraded under requests, and then shows what that version showed', async () => {
    const readings: Readings = JSON.parse(readKept(`${version}.json.gz`))
    const owner = await restore(version)
    const { applied, pending } = await readMigrationState(owner)
    expect(applied.at(-1)?.slice(0, 4)).toBe(version)
    const clients = startOldClients(await openOldDatabase(owner), CLIENTS)
    await clients.untilAllWent(1)
    expect(await migrate(owner)).toEqual(pending)
    await clients.untilAllWent(1)
    expect(await clients.stop()).toEqual([])
    expect(await findChangedAnswers(await startPresentVersion(owner, readings), readings)).toEqual([])
    const broken = (await checkIntegrity(owner, { log: true })).filter(({ ok }) => !ok)
    expect(broken).toEqual([])
  })
})

describe('the kept databases', () => {
  it('begin with that of the oldest version that may use the schema', () => {
    expect(Number(VERSIONS[0])).toBe(getShippedMigrations().at(-1)?.min_compatible)
    expect(VERSIONS.length).toBeGreaterThan(2)
  })

  it('answered every read', () => {
    for (const version of VERSIONS) {
      const { answers }: Readings = JSON.parse(readKept(`${version}.json.gz`))
      expect(Object.values(answers).map(({ status }) => status)).toEqual(Object.keys(answers).map(() => 200))
    }
  })
})
