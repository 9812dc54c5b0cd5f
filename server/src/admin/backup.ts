// `admin backup DIR`: copies the database and the evidence at one point in time while the service keeps running. Tables
// become lines of JSON, evidence files are copied as they are, and the manifest is written last.
import { createHash } from 'node:crypto'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readEventLayout } from '../db/event-months.ts'
import { listAppliedMigrations, readMigrationState } from '../db/migrate.ts'
import { makeOwnerDb } from '../db/owner.ts'
import { listTables, readLines, type Table, withSnapshot } from '../db/table-copy.ts'
import { openDiskEvidence } from '../evidence/disk.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { makeFolderDurably, syncFolder } from '../lib/durable-files.ts'
import { EvidenceDamaged } from '../lib/errors.ts'
import { AdminProblem } from './actor.ts'
import {
  EVIDENCE_FOLDER,
  FORMAT,
  getTablePath,
  MANIFEST_FILE,
  type Manifest,
  type TableEntry,
} from './backup-manifest.ts'
import { listReferencedEvidence } from './evidence-store.ts'

export interface BackupParts {
  owner: pg.Client
  evidence: EvidenceStore
  newName: () => string
  now: Date
}

export async function createBackup(folder: string, parts: BackupParts): Promise<Manifest> {
  const { owner } = parts
  if ((await readMigrationState(owner)).applied.length === 0)
    throw new AdminProblem('The database is empty: there is nothing to back up')
  await makeEmptyFolder(folder)
  const manifest = await withSnapshot(owner, async () => {
    const migrations = await listAppliedMigrations(owner)
    const event_log = await readEventLayout(owner)
    const tables: TableEntry[] = []
    for (const table of await listTables(owner)) tables.push(await copyTable(owner, table, folder))
    const evidence = await copyEvidence(folder, parts)
    const made_at = parts.now.toISOString()
    return {
      format: FORMAT,
      made_at,
      migrations,
      tables,
      event_log,
      evidence,
    } as const
  })
  await writeText(join(folder, MANIFEST_FILE), [`${JSON.stringify(manifest, null, 2)}\n`])
  // The files are durable already; this makes their directory entries durable.
  await syncFolder(folder)
  return manifest
}

export async function makeEmptyFolder(folder: string): Promise<void> {
  await makeFolderDurably(folder)
  if ((await readdir(folder)).length > 0) throw new AdminProblem(`${folder} is not empty`)
}

async function copyTable(owner: pg.Client, table: Table, folder: string): Promise<TableEntry> {
  let rows = 0
  async function* readTexts(): AsyncGenerator<string> {
    for await (const lines of readLines(owner, table)) {
      rows += lines.length
      yield `${lines.join('\n')}\n`
    }
  }
  const sha256 = await writeText(getTablePath(folder, table.name), readTexts())
  return { ...table, rows, sha256 }
}

/** Returns the SHA-256 of the file once its content is durable on disk. */
export async function writeText(
  path: string,
  texts: Iterable<string> | AsyncIterable<string>,
): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const text of texts) {
      hash.update(text)
      await file.writeFile(text)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/**
 * Copies the evidence that the snapshot's rows refer to: it was stored before them and is never removed while
 * referred to.
 */
async function copyEvidence(folder: string, parts: BackupParts): Promise<Manifest['evidence']> {
  const root = join(folder, EVIDENCE_FOLDER)
  const copy = await openDiskEvidence({ root, newName: parts.newName, now: parts.now })
  const copied = { objects: 0, bytes: 0, lost: [] as string[] }
  for await (const { org_id, sha256 } of listReferencedEvidence(makeOwnerDb(parts.owner))) {
    const bytes = await copyObject(parts.evidence, copy, org_id, sha256)
    if (bytes === undefined) copied.lost.push(`${org_id}/${sha256}`)
    else {
      copied.objects += 1
      copied.bytes += bytes
    }
  }
  return copied
}

/** Returns undefined if the object is missing or damaged: the rest of the backup is still worth having. */
export async function copyObject(
  from: EvidenceStore,
  to: EvidenceStore,
  org_id: string,
  sha256: string,
): Promise<number | undefined> {
  const found = await from.open(org_id, sha256)
  if (!found) return undefined
  try {
    const staged = await to.stage(org_id, sha256, found.content)
    await staged.keep()
    return staged.bytes
  } catch (error) {
    if (error instanceof EvidenceDamaged) return undefined
    throw error
  }
}
