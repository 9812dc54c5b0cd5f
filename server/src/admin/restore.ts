// `admin restore DIR`: loads a backup into an empty database and its evidence store. Nothing is written before the
// files of the backup are verified. The rows are stored in one transaction, after the evidence they refer to.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { layOutMonths } from '../db/event-months.ts'
import { listAppliedMigrations, migrate, readMigrationState } from '../db/migrate.ts'
import { explainPreRelease, replacePreRelease } from '../db/pre-release.ts'
import {
  analyzeTables,
  type Column,
  findFilledTable,
  listTables,
  type Table,
  writeLines,
} from '../db/table-copy.ts'
import { openDiskEvidence } from '../evidence/disk.ts'
import { AdminProblem } from './actor.ts'
import { type BackupParts, copyObject } from './backup.ts'
import { EVIDENCE_FOLDER, getTablePath, type Manifest, readManifest } from './backup-manifest.ts'

const MAX_BATCH_LINES = 1000
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024
const READ_BYTES = 1024 * 1024

export async function restore(folder: string, parts: BackupParts): Promise<Manifest> {
  const { owner } = parts
  const manifest = await readManifest(folder)
  await requireEmptyDatabase(owner)
  await matchSchema(owner, manifest)
  await layOutMonths(owner, manifest.event_log)
  await restoreEvidence(folder, manifest, parts)
  await owner.query('begin')
  try {
    for (const table of manifest.tables) await restoreTable(owner, folder, table)
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
  await analyzeTables(owner)
  await migrate(owner)
  return manifest
}

async function requireEmptyDatabase(owner: pg.Client): Promise<void> {
  const filled = await findFilledTable(owner, await listTables(owner))
  if (filled !== undefined) {
    throw new AdminProblem(`The database is not empty (${filled} has rows); restore into a new one`)
  }
}

/** Migrates to the backup's version and no further, because later migrations must see its rows. */
async function matchSchema(owner: pg.Client, { migrations, tables }: Manifest): Promise<void> {
  const history = replacePreRelease(migrations)
  if (!history) throw new AdminProblem(explainPreRelease('backup', migrations))
  const expected = history.map(({ name }) => name)
  const { applied, pending } = await readMigrationState(owner)
  const unknown = expected.find(name => !applied.includes(name) && !pending.includes(name))
  if (unknown !== undefined) {
    throw new AdminProblem(`The backup was made by a newer Waybill (${unknown}); update this installation`)
  }
  const newer = applied.find(name => !expected.includes(name))
  if (newer !== undefined) {
    throw new AdminProblem(
      `The database has a newer schema than the backup (${newer}); restore into a new one`,
    )
  }
  await migrate(owner, { only: expected })
  if (!isDeepStrictEqual(await listAppliedMigrations(owner), history)) {
    throw new AdminProblem(
      'A migration was edited after the backup was made; restore with the version that made it',
    )
  }
  const found = await listTables(owner)
  const copied = tables.map(({ name, columns }) => ({ name, columns: sortByName(columns) }))
  if (!isDeepStrictEqual(found, copied))
    throw new AdminProblem('The tables of the backup do not match the schema')
}

/** Backups of the pre-release have columns in another order. */
const sortByName = (columns: readonly Column[]) => [...columns].sort((a, b) => (a.name < b.name ? -1 : 1))

async function restoreEvidence(folder: string, manifest: Manifest, parts: BackupParts): Promise<void> {
  const root = join(folder, EVIDENCE_FOLDER)
  const copy = await openDiskEvidence({ root, newName: parts.newName, now: parts.now })
  let objects = 0
  for await (const { org_id, sha256 } of copy.list()) {
    const bytes = await copyObject(copy, parts.evidence, org_id, sha256)
    if (bytes === undefined)
      throw new AdminProblem(`The evidence ${org_id}/${sha256} of the backup is damaged`)
    objects += 1
  }
  if (objects !== manifest.evidence.objects) {
    throw new AdminProblem(
      `The backup has only ${objects} of its ${manifest.evidence.objects} evidence files`,
    )
  }
}

async function restoreTable(
  owner: pg.Client,
  folder: string,
  table: Table & { rows: number },
): Promise<void> {
  let stored = 0
  for await (const lines of readBatches(getTablePath(folder, table.name))) {
    stored += await writeLines(owner, table, lines)
  }
  if (stored !== table.rows) {
    throw new AdminProblem(`Restored ${stored} rows of ${table.name}, but the backup has ${table.rows}`)
  }
}

export async function* readBatches(path: string): AsyncGenerator<string[]> {
  let lines: string[] = []
  let characters = 0
  for await (const line of readFileLines(path)) {
    lines.push(line)
    characters += line.length
    if (lines.length < MAX_BATCH_LINES && characters < MAX_BATCH_CHARACTERS) continue
    yield lines
    lines = []
    characters = 0
  }
  if (lines.length > 0) yield lines
}

/** Splits at line feeds only: Node's readline also splits at U+2028, which may occur in JSON. */
async function* readFileLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const text of createReadStream(path, { encoding: 'utf8', highWaterMark: READ_BYTES })) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') throw new AdminProblem(`${path} ends in the middle of a line`)
}
