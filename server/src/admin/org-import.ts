// `admin org import --from FOLDER`: loads an exported org into this cell, in one transaction and frozen. Everything in the
// folder is verified before anything is stored, and the stored rows are compared with the export before the commit.
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseNote } from '@waybill/transparency-log'
import type pg from 'pg'
import { listAppliedMigrations } from '../db/migrate.ts'
import { listOrgTables, type OrgTable } from '../db/org-copy.ts'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import { TEXT_FORMAT, withSnapshot, writeLines } from '../db/table-copy.ts'
import { openDiskEvidence } from '../evidence/disk.ts'
import type { AnchorStore, EvidenceStore } from '../evidence/evidence.ts'
import { addAnchor } from '../log/anchors.ts'
import { findStoredCheckpoint } from '../log/checkpoint-store.ts'
import { findLogName } from '../log/keys-store.ts'
import { AdminProblem } from './actor.ts'
import { copyObject } from './backup.ts'
import { EVIDENCE_FOLDER, getTablePath } from './backup-manifest.ts'
import { findFreezeState, putFreeze } from './freeze-store.ts'
import {
  compareDigests,
  digestEvidence,
  digestTables,
  measureObject,
  type TransferParts,
} from './org-export.ts'
import { type FoundPerson, findOrCreatePeople, findPeople } from './org-people.ts'
import { findOrgInTheWay } from './org-people-store.ts'
import {
  type OrgManifest,
  PEOPLE,
  type Person,
  parsePerson,
  parseRow,
  type Row,
  readOrgManifest,
  resealLine,
} from './org-transfer.ts'
import { readBatches } from './restore.ts'

export interface ImportedOrg {
  manifest: OrgManifest
  people: FoundPerson[]
}

export async function importOrg(folder: string, parts: TransferParts): Promise<ImportedOrg> {
  const { owner, now } = parts
  const manifest = await readOrgManifest(folder, parts.key)
  const tables = await matchSchema(manifest, parts)
  await refuseExisting(manifest, parts)
  const copy = await openExportedEvidence(folder, parts)
  await verifyEvidence(copy, manifest)
  const persons = await readPeople(folder)
  await storeEvidence(copy, manifest.org.org_id, parts.evidence)
  const people = await withOwnerTransaction(owner, async tx => {
    await owner.query(TEXT_FORMAT)
    const found = await findOrCreatePeople(tx, persons, now)
    const ids_here = Object.fromEntries(found.map(({ id_there, id_here }) => [id_there, id_here]))
    for (const table of tables) await storeTable(folder, table, ids_here, parts)
    const { org_id } = manifest.org
    await putFreeze(tx, { org_id, reason: 'imported from another cell', is_draining: false, now })
    await requireEqual(manifest, found, parts)
    return found
  })
  await anchorLog(owner, manifest.org.org_id, parts.evidence.anchors)
  return { manifest, people }
}

/** The organization was frozen, so the newest stored checkpoint is the newest of all. */
async function anchorLog(owner: pg.Client, org_id: string, anchors: AnchorStore): Promise<void> {
  const tx = makeOwnerDb(owner)
  const log = await findLogName(tx, org_id)
  const stored = log && (await findStoredCheckpoint(tx, org_id, log.epoch))
  if (!log || !stored) return
  const { epoch } = log
  await addAnchor(anchors, org_id, { epoch, size: stored.size, note: parseNote(stored.note) })
}

/** Compares rows and evidence of this cell with an export. Returns a line for each difference. */
export async function verifyOrg(
  folder: string,
  parts: TransferParts,
): Promise<{ manifest: OrgManifest; differences: string[] }> {
  const { owner } = parts
  const manifest = await readOrgManifest(folder, parts.key)
  await matchSchema(manifest, parts)
  const { org_id, name } = manifest.org
  if ((await findFreezeState(makeOwnerDb(owner), name))?.org_id !== org_id) {
    throw new AdminProblem(`This cell does not have the organization ${name} of the export`)
  }
  const differences = await withSnapshot(owner, async () => {
    const found = await findPeople(makeOwnerDb(owner), await readPeople(folder))
    const rows = compareDigests(manifest.tables, await digestTables(parts, org_id, toIdsThere(found)))
    const evidence = await digestEvidence(owner, org_id, sha256 =>
      measureObject(parts.evidence, org_id, sha256),
    )
    const isSame = isDeepStrictEqual(evidence, manifest.evidence)
    return isSame
      ? rows
      : [...rows, `evidence: ${evidence.objects} files here, ${manifest.evidence.objects} in the export`]
  })
  return { manifest, differences }
}

/** Rows from another schema could have another meaning, so both cells must have the same schema. */
async function matchSchema(
  { migrations, tables }: OrgManifest,
  { owner }: TransferParts,
): Promise<OrgTable[]> {
  const applied = await listAppliedMigrations(owner)
  if (!isDeepStrictEqual(applied, migrations)) {
    const [here, there] = [applied.at(-1)?.name ?? 'none', migrations.at(-1)?.name ?? 'none']
    throw new AdminProblem(
      `The export has the schema of another version (${there}, here ${here}); bring both cells to one version and export again`,
    )
  }
  const found = await listOrgTables(owner)
  const toPlain = (list: readonly { name: string; columns: OrgTable['columns'] }[]) =>
    list.map(({ name, columns }) => ({ name, columns }))
  if (!isDeepStrictEqual(toPlain(found), toPlain(tables))) {
    throw new AdminProblem('The tables of the export do not match the schema')
  }
  return found
}

async function refuseExisting({ org }: OrgManifest, { owner }: TransferParts): Promise<void> {
  const taken = await findOrgInTheWay(makeOwnerDb(owner), org)
  if (taken === undefined) return
  throw new AdminProblem(`This cell already has an organization ${taken}; nothing was imported`)
}

function openExportedEvidence(folder: string, { newName, now }: TransferParts): Promise<EvidenceStore> {
  return openDiskEvidence({ root: join(folder, EVIDENCE_FOLDER), newName, now })
}

async function verifyEvidence(copy: EvidenceStore, { evidence, org }: OrgManifest): Promise<void> {
  const total = { objects: 0, bytes: 0 }
  for await (const { org_id, sha256 } of copy.list()) {
    const bytes = org_id === org.org_id ? await measureObject(copy, org_id, sha256) : undefined
    if (bytes === undefined)
      throw new AdminProblem(`The evidence ${org_id}/${sha256} of the export is damaged`)
    total.objects += 1
    total.bytes += bytes
  }
  if (total.objects === evidence.objects && total.bytes === evidence.bytes) return
  throw new AdminProblem(
    `The export has ${total.objects} evidence files with ${total.bytes} bytes, and its manifest says ` +
      `${evidence.objects} with ${evidence.bytes}`,
  )
}

async function storeEvidence(copy: EvidenceStore, org_id: string, store: EvidenceStore): Promise<void> {
  for await (const { sha256 } of copy.list()) {
    const bytes = await copyObject(copy, store, org_id, sha256)
    if (bytes === undefined)
      throw new AdminProblem(`The evidence ${org_id}/${sha256} of the export is damaged`)
  }
}

async function readPeople(folder: string): Promise<Person[]> {
  const people: Person[] = []
  for await (const lines of readBatches(getTablePath(folder, PEOPLE))) people.push(...lines.map(parsePerson))
  return people
}

async function storeTable(
  folder: string,
  table: OrgTable,
  ids_here: Readonly<Record<string, string>>,
  { owner, sealer, key }: TransferParts,
): Promise<void> {
  for await (const lines of readBatches(getTablePath(folder, table.name))) {
    const own = lines.map(line => resealLine(table.name, line, key.sealer, sealer))
    await writeLines(owner, table, table.people.length > 0 ? own.map(line => renamePeople(line)) : own)
  }
  function renamePeople(line: string): string {
    const row: Row = parseRow(line)
    for (const column of table.people) {
      const id = row[column]
      if (typeof id === 'string') row[column] = ids_here[id] ?? id
    }
    return JSON.stringify(row)
  }
}

const toIdsThere = (people: readonly FoundPerson[]) =>
  Object.fromEntries(people.map(({ id_there, id_here }) => [id_here, id_there]))

async function requireEqual(
  { org, tables, evidence }: OrgManifest,
  people: readonly FoundPerson[],
  parts: TransferParts,
): Promise<void> {
  const { owner } = parts
  const differences = compareDigests(tables, await digestTables(parts, org.org_id, toIdsThere(people)))
  const stored = await digestEvidence(owner, org.org_id, sha256 =>
    measureObject(parts.evidence, org.org_id, sha256),
  )
  if (!isDeepStrictEqual(stored, evidence)) differences.push('evidence: the files differ from the export')
  if (differences.length > 0) {
    throw new AdminProblem(
      `What would be stored differs from the export, so nothing was: ${differences.join('; ')}`,
    )
  }
}
