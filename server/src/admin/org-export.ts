// `admin org export NAME --to FOLDER`: copies a frozen org with its evidence into a folder, and `admin org verify`:
// compares this cell's data with such a folder. Both read the same lines, so equal hashes mean equal rows.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type pg from 'pg'
import { listAppliedMigrations } from '../db/migrate.ts'
import { listOrgTables, listPeopleIds, type OrgTable, readOrgLines } from '../db/org-copy.ts'
import { makeOwnerDb } from '../db/owner.ts'
import { withSnapshot } from '../db/table-copy.ts'
import { openDiskEvidence } from '../evidence/disk.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { syncFolder } from '../lib/durable-files.ts'
import { EvidenceDamaged } from '../lib/errors.ts'
import type { Sealer } from '../lib/sealer.ts'
import { AdminProblem } from './actor.ts'
import { copyObject, makeEmptyFolder, writeText } from './backup.ts'
import { EVIDENCE_FOLDER, getTablePath, MANIFEST_FILE } from './backup-manifest.ts'
import { requireFrozen } from './freeze.ts'
import { listOrgEvidence, listPeopleLines } from './org-people-store.ts'
import {
  FORMAT,
  type OrgManifest,
  PEOPLE,
  resealLine,
  type TableDigest,
  type TransferKey,
} from './org-transfer.ts'

export interface TransferParts {
  owner: pg.Client
  evidence: EvidenceStore
  /** Opens and seals the secrets of this cell. */
  sealer: Sealer
  key: TransferKey
  newName: () => string
  now: Date
}

export async function exportOrg(folder: string, name: string, parts: TransferParts): Promise<OrgManifest> {
  const { owner, key } = parts
  const org = await requireFrozen(owner, name)
  await makeEmptyFolder(folder)
  const copied = await withSnapshot(owner, async () => {
    const migrations = await listAppliedMigrations(owner)
    const org_tables = await listOrgTables(owner)
    const tables: OrgManifest['tables'] = []
    for (const table of org_tables) {
      const lines = readTransferLines(parts, table, org.org_id, {})
      const { columns } = table
      tables.push({
        name: table.name,
        columns,
        ...(await writeLines(getTablePath(folder, table.name), lines)),
      })
    }
    const ids = await listPeopleIds(owner, org_tables, org.org_id)
    const people = await writeLines(getTablePath(folder, PEOPLE), [
      await listPeopleLines(makeOwnerDb(owner), ids),
    ])
    const evidence = await copyEvidence(folder, org.org_id, parts)
    return { migrations, tables, people, evidence }
  })
  const signed = {
    format: FORMAT,
    kind: 'organization',
    made_at: parts.now.toISOString(),
    org: { org_id: org.org_id, name: org.name },
    ...copied,
  } as const
  const manifest: OrgManifest = { ...signed, mac: key.sign(signed) }
  await writeText(join(folder, MANIFEST_FILE), [`${JSON.stringify(manifest, null, 2)}\n`])
  await syncFolder(folder)
  return manifest
}

/** The rows of a table, with secrets sealed for the transfer and with the ids that people have in the other cell. */
async function* readTransferLines(
  { owner, sealer, key }: Pick<TransferParts, 'owner' | 'sealer' | 'key'>,
  table: OrgTable,
  org_id: string,
  ids_there: Readonly<Record<string, string>>,
): AsyncGenerator<string[]> {
  for await (const lines of readOrgLines(owner, table, org_id, ids_there)) {
    yield lines.map(line => resealLine(table.name, line, sealer, key.sealer))
  }
}

async function writeLines(
  path: string,
  batches: AsyncIterable<string[]> | Iterable<string[]>,
): Promise<{ rows: number; sha256: string }> {
  let rows = 0
  async function* readTexts(): AsyncGenerator<string> {
    for await (const lines of batches) {
      rows += lines.length
      if (lines.length > 0) yield `${lines.join('\n')}\n`
    }
  }
  const sha256 = await writeText(path, readTexts())
  return { rows, sha256 }
}

/**
 * The digests that an export of this cell's rows would have. Needs an open transaction with the text format of
 * copies.
 */
export async function digestTables(
  parts: Pick<TransferParts, 'owner' | 'sealer' | 'key'>,
  org_id: string,
  ids_there: Readonly<Record<string, string>>,
): Promise<TableDigest[]> {
  const digests: TableDigest[] = []
  for (const table of await listOrgTables(parts.owner)) {
    const hash = createHash('sha256')
    let rows = 0
    for await (const lines of readTransferLines(parts, table, org_id, ids_there)) {
      rows += lines.length
      hash.update(`${lines.join('\n')}\n`)
    }
    digests.push({ name: table.name, rows, sha256: hash.digest('hex') })
  }
  return digests
}

/** One line for each table that differs. */
export function compareDigests(expected: readonly TableDigest[], found: readonly TableDigest[]): string[] {
  return expected.flatMap(({ name, rows, sha256 }) => {
    const here = found.find(table => table.name === name)
    if (here?.rows === rows && here.sha256 === sha256) return []
    return here?.rows === rows
      ? [`${name}: the ${rows} rows differ from the export`]
      : [`${name}: ${here?.rows ?? 0} rows here, ${rows} in the export`]
  })
}

async function copyEvidence(
  folder: string,
  org_id: string,
  parts: TransferParts,
): Promise<OrgManifest['evidence']> {
  const { newName, now } = parts
  const copy = await openDiskEvidence({ root: join(folder, EVIDENCE_FOLDER), newName, now })
  return digestEvidence(parts.owner, org_id, sha256 => copyObject(parts.evidence, copy, org_id, sha256))
}

/** `read` returns the size of an object, or undefined if it is missing or damaged. */
export async function digestEvidence(
  owner: pg.Client,
  org_id: string,
  read: (sha256: string) => Promise<number | undefined>,
): Promise<OrgManifest['evidence']> {
  const hash = createHash('sha256')
  const total = { objects: 0, bytes: 0 }
  for await (const sha256 of listOrgEvidence(makeOwnerDb(owner), org_id)) {
    const bytes = await read(sha256)
    if (bytes === undefined) {
      throw new AdminProblem(`The evidence ${org_id}/${sha256} is missing or damaged; nothing was moved`)
    }
    hash.update(`${sha256} ${bytes}\n`)
    total.objects += 1
    total.bytes += bytes
  }
  return { ...total, sha256: hash.digest('hex') }
}

/** Reads an object to its end, which verifies its hash. */
export async function measureObject(
  store: EvidenceStore,
  org_id: string,
  sha256: string,
): Promise<number | undefined> {
  const found = await store.open(org_id, sha256)
  if (!found) return undefined
  let bytes = 0
  try {
    for await (const chunk of found.content) bytes += (chunk as Buffer).length
  } catch (error) {
    if (error instanceof EvidenceDamaged) return undefined
    throw error
  }
  return bytes
}
