// `manifest.json`, the last file that a backup writes: what was copied, from which schema, and the hash of every
// file. A folder without it is not a complete backup.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Closed } from '../api/shared/wire.ts'
import { makeBodyShapeCheck } from '../lib/shape.ts'
import { AdminProblem } from './actor.ts'

export const MANIFEST_FILE = 'manifest.json'
export const EVIDENCE_FOLDER = 'evidence'
export const FORMAT = 1

export const TABLE_NAME = '^[a-z_][a-z0-9_]*$'
const MONTH = '^(20[0-9]{2}|[0-9]{5})-[0-9]{2}$'
export const SHA256 = '^[0-9a-f]{64}$'

const Manifest = Closed('BackupManifest', {
  format: Type.Literal(FORMAT),
  made_at: Type.String(),
  migrations: Type.Array(Closed('BackupMigration', { name: Type.String(), sha256: Type.String() })),
  tables: Type.Array(
    Closed('BackupTable', {
      name: Type.String({ pattern: TABLE_NAME }),
      columns: Type.Array(Closed('BackupColumn', { name: Type.String(), type: Type.String() })),
      rows: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: SHA256 }),
    }),
  ),
  event_log: Closed('BackupEventLog', {
    months_from: Type.String({ pattern: MONTH }),
    is_trimmed: Type.Boolean(),
  }),
  evidence: Closed('BackupEvidence', {
    objects: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    /** Evidence that a row refers to, but that was missing or damaged in the store when the backup was made. */
    lost: Type.Array(Type.String()),
  }),
})
export type Manifest = Static<typeof Manifest>
export type TableEntry = Manifest['tables'][number]

export const getTablePath = (folder: string, table: string) => join(folder, `${table}.ndjson`)

/** Verifies that all table files exist and are unchanged. Evidence is verified when it is read. */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = parseManifest(await readText(join(folder, MANIFEST_FILE)))
  for (const { name, sha256 } of manifest.tables) {
    if ((await hashFile(getTablePath(folder, name))) !== sha256) {
      throw new AdminProblem(`${getTablePath(folder, name)} was changed after the backup was made`)
    }
  }
  return manifest
}

function parseManifest(text: string): Manifest {
  const check = makeBodyShapeCheck(Manifest)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AdminProblem(`${MANIFEST_FILE} is not JSON`)
  }
  const [problem] = Object.entries(check(value, '') ?? {})
  if (problem) throw new AdminProblem(`${MANIFEST_FILE} cannot be used: ${problem.join(': ')}`)
  return value as Manifest
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new AdminProblem(`${path} cannot be read: this is not a complete backup`)
  }
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk)
  } catch {
    throw new AdminProblem(`${path} cannot be read: this is not a complete backup`)
  }
  return hash.digest('hex')
}
