// The format of an exported org: a folder with one file of lines per table, the people, the evidence and a manifest
// with the number of rows and the SHA-256 of each file. Secrets in it are sealed with a key that the operator makes
// for the transfer; the same key signs the manifest.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Closed } from '../api/shared/wire.ts'
import { makeRepeatableSealer, type Sealer } from '../lib/sealer.ts'
import { makeBodyShapeCheck } from '../lib/shape.ts'
import { LOG_KEY_PURPOSE } from '../log/keys.ts'
import { MAIL_JOB, MAIL_PURPOSE } from '../mail/queue.ts'
import { WEBHOOK_ADDRESS, WEBHOOK_SECRET } from '../notifications/purposes.ts'
import { AdminProblem } from './actor.ts'
import { getTablePath, hashFile, MANIFEST_FILE, SHA256, TABLE_NAME } from './backup-manifest.ts'

export const FORMAT = 1
export const PEOPLE = 'people'
const MIN_KEY_LENGTH = 32
const OTHERS_MAY = 0o077

const Manifest = Closed('OrgManifest', {
  format: Type.Literal(FORMAT),
  kind: Type.Literal('organization'),
  made_at: Type.String(),
  org: Closed('OrgManifestOrg', { org_id: Type.String({ format: 'uuid' }), name: Type.String() }),
  migrations: Type.Array(Closed('OrgManifestMigration', { name: Type.String(), sha256: Type.String() })),
  tables: Type.Array(
    Closed('OrgManifestTable', {
      name: Type.String({ pattern: TABLE_NAME }),
      columns: Type.Array(Closed('OrgManifestColumn', { name: Type.String(), type: Type.String() })),
      rows: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: SHA256 }),
    }),
  ),
  people: Closed('OrgManifestPeople', {
    rows: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: SHA256 }),
  }),
  /** The hash of the list of all objects: each one's SHA-256 and size. */
  evidence: Closed('OrgManifestEvidence', {
    objects: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: SHA256 }),
  }),
  mac: Type.String({ pattern: SHA256 }),
})
export type OrgManifest = Static<typeof Manifest>
export type TableDigest = Pick<OrgManifest['tables'][number], 'name' | 'rows' | 'sha256'>

export interface TransferKey {
  sealer: Sealer
  sign(manifest: Omit<OrgManifest, 'mac'>): string
}

/** The key is the content of a file that only its owner can read. */
export async function readTransferKey(path: string): Promise<TransferKey> {
  const { mode } = await stat(path).catch(() => {
    throw new AdminProblem(
      `${path} cannot be read; make a key with: umask 077; openssl rand -hex 32 > ${path}`,
    )
  })
  if ((mode & OTHERS_MAY) !== 0) {
    throw new AdminProblem(`Others can read ${path}; run: chmod 600 ${path}`)
  }
  const key = (await readFile(path, 'utf8')).trim()
  if (key.length < MIN_KEY_LENGTH) {
    throw new AdminProblem(`The key in ${path} is shorter than ${MIN_KEY_LENGTH} characters`)
  }
  return {
    sealer: makeRepeatableSealer(`transfer ${key}`),
    sign: manifest =>
      createHmac('sha256', `waybill transfer ${key}`).update(JSON.stringify(manifest)).digest('hex'),
  }
}

/** Verifies the manifest and all files except the evidence, which is verified when it is read. */
export async function readOrgManifest(folder: string, key: TransferKey): Promise<OrgManifest> {
  const path = join(folder, MANIFEST_FILE)
  const text = await readFile(path, 'utf8').catch(() => {
    throw new AdminProblem(`${path} cannot be read: this is not a complete export`)
  })
  const manifest = parseManifest(text)
  const { mac, ...signed } = manifest
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(key.sign(signed)))) {
    throw new AdminProblem(`${path} was changed, or the export was made with another key`)
  }
  for (const { name, sha256 } of [...manifest.tables, { ...manifest.people, name: PEOPLE }]) {
    if ((await hashFile(getTablePath(folder, name))) !== sha256) {
      throw new AdminProblem(`${getTablePath(folder, name)} was changed after the export was made`)
    }
  }
  return manifest
}

function parseManifest(text: string): OrgManifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AdminProblem(`${MANIFEST_FILE} is not JSON`)
  }
  const [problem] = Object.entries(makeBodyShapeCheck(Manifest)(value, '') ?? {})
  if (problem) throw new AdminProblem(`${MANIFEST_FILE} cannot be used: ${problem.join(': ')}`)
  return value as OrgManifest
}

/** Every value as PostgreSQL writes it. */
export type Row = Record<string, string | null>

export const parseRow = (line: string): Row => JSON.parse(line)

/**
 * The columns with sealed secrets, by table, and the purpose of each. `org-transfer.test.ts` compares them with the
 * catalogue.
 */
export const SEALED_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  log_keys: { private_sealed: LOG_KEY_PURPOSE },
  notification_targets: {
    webhook_sealed: WEBHOOK_ADDRESS,
    secret_sealed: WEBHOOK_SECRET,
    old_secret_sealed: WEBHOOK_SECRET,
  },
}

/** Seals the secrets of a row with another key. A line without secrets stays as it is. */
export function resealLine(table: string, line: string, from: Sealer, to: Sealer): string {
  const reseal = (purpose: string, sealed: string) => {
    const secret = from.open(purpose, sealed)
    if (secret === undefined) {
      throw new AdminProblem(
        `A secret in ${table} cannot be opened: WAYBILL_SECRET_KEY must be the key that the service uses`,
      )
    }
    return to.seal(purpose, secret)
  }
  if (table === 'outbox') return resealMail(line, reseal)
  const columns = SEALED_COLUMNS[table]
  if (!columns) return line
  const row = parseRow(line)
  for (const [column, purpose] of Object.entries(columns)) {
    const sealed = row[column]
    if (typeof sealed === 'string') row[column] = reseal(purpose, sealed)
  }
  return JSON.stringify(row)
}

function resealMail(line: string, reseal: (purpose: string, sealed: string) => string): string {
  const row = parseRow(line)
  const { sealed } = JSON.parse(row.payload ?? '{}') ?? {}
  // A sent mail keeps no content.
  if (row.kind !== MAIL_JOB || typeof sealed !== 'string') return line
  return JSON.stringify({ ...row, payload: JSON.stringify({ sealed: reseal(MAIL_PURPOSE, sealed) }) })
}

export interface Person {
  user_id: string
  name: string
  display_name: string | null
  email: string | null
  deactivated_at: string | null
  identities: { issuer: string; subject: string }[]
}

export const parsePerson = (line: string): Person => JSON.parse(line)
