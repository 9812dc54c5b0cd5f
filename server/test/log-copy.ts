// A downloaded log that tests alter: as files, or as leaves and bodies that are rewritten and signed again, as an
// operator with the log's key could do it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  computeRoot,
  computeTileWidth,
  formatCheckpoint,
  formatEntries,
  formatNote,
  formatTilePath,
  generateKey,
  hashLeaf,
  parseCheckpoint,
  parseEntries,
  parseNote,
  type SignerKey,
  signNote,
  TILE_WIDTH,
  type Tile,
} from '@waybill/transparency-log'
import { hashBody } from '../src/domain/log/commit.ts'
import { formatLeaf, type Leaf, parseLeaf } from '../src/domain/log/leaf.ts'
import { COVERAGE } from '../src/events/coverage.ts'
import type { EventKind } from '../src/events/kinds.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { openKey } from '../src/log/keys.ts'
import { listLogKeys } from '../src/log/keys-store.ts'
import type { StoredBody } from '../src/verifier/bodies.ts'
import { fetchLog } from '../src/verifier/fetch.ts'
import { formatBodiesPath, openLogFolder } from '../src/verifier/log-files.ts'
import { type Verification, type VerifyParts, verifyLog } from '../src/verifier/verify.ts'
import { ORG, SECRET_KEY, type TestApp } from './harness.ts'

export interface LogCopy {
  leaves: Leaf[]
  /** By leaf number. */
  bodies: Map<number, StoredBody>
}

/** Downloads a log from an application, without a network. */
export const fetchInto = ({ reader }: TestApp, folder: string, with_bodies = true) =>
  fetchLog({
    folder,
    with_bodies,
    get: async path => {
      const { status, text, bytes } = await reader.get(`/log/${ORG}/${path}`)
      if (status === 404) return undefined
      if (status !== 200) throw new Error(`${status} for ${path}: ${text}`)
      return bytes ?? Buffer.from(text)
    },
  })

/** The log's signing keys, opened as only the operator can. */
export async function openLogKeys(app: TestApp): Promise<SignerKey[]> {
  const [org] = await app.sql(
    'select h.org_id, h.origin, h.epoch from log_heads h join orgs o using (org_id) where o.name = $1',
    [ORG],
  )
  const log = { org_id: String(org?.org_id), origin: String(org?.origin), epoch: Number(org?.epoch) }
  const keys = await app.db.withTransaction(log, tx => listLogKeys(tx, log.org_id, log.epoch))
  return keys.map(key => openKey(log, key, makeSealer(SECRET_KEY)))
}

export function readCopy(folder: string): LogCopy {
  const { size } = readCheckpoint(folder)
  const copy: LogCopy = { leaves: [], bodies: new Map() }
  for (const { number, width } of listTiles('entries', size)) {
    const bundle = readFileSync(join(folder, formatTilePath({ level: 'entries', number, width })))
    for (const entry of parseEntries(bundle)) {
      const leaf = parseLeaf(entry.toString())
      if (leaf) copy.leaves.push(leaf)
    }
    for (const line of readFileSync(join(folder, formatBodiesPath(number, width)), 'utf8').split('\n')) {
      if (line === '') continue
      const stored: StoredBody = JSON.parse(line)
      copy.bodies.set(stored.index, stored)
    }
  }
  return copy
}

export const readCheckpoint = (folder: string) =>
  parseCheckpoint(parseNote(readFileSync(join(folder, 'checkpoint'), 'utf8')).text)

export interface Signers {
  keys: readonly SignerKey[]
  /** Cosigned at this time, in seconds. */
  time_s?: number
}

/** Rewrites the whole folder, with the checkpoint for these leaves. */
export async function writeCopy(
  folder: string,
  { leaves, bodies }: LogCopy,
  signers: Signers,
): Promise<void> {
  const [first] = signers.keys
  rmSync(folder, { recursive: true, force: true })
  const entries = leaves.map(leaf => Buffer.from(formatLeaf(leaf)))
  let hashes = entries.map(hashLeaf)
  const root = computeRoot(hashes)
  for (const tile of listTiles('entries', leaves.length)) {
    const part = <T>(list: readonly T[]) =>
      list.slice(tile.number * TILE_WIDTH, (tile.number + 1) * TILE_WIDTH)
    put(folder, formatTilePath(tile), formatEntries(part(entries)))
    const lines = part(leaves.map((_, i) => i)).flatMap(i => bodies.get(i) ?? [])
    put(
      folder,
      formatBodiesPath(tile.number, tile.width),
      lines.map(line => `${JSON.stringify(line)}\n`).join(''),
    )
  }
  for (let level = 0; hashes.length > 0; level++) {
    const above: Buffer[] = []
    for (const { number, width } of listTiles(0, hashes.length)) {
      const part = hashes.slice(number * TILE_WIDTH, number * TILE_WIDTH + width)
      put(folder, formatTilePath({ level, number, width }), Buffer.concat(part))
      if (width === TILE_WIDTH) above.push(computeRoot(part))
    }
    hashes = above
  }
  const text = formatCheckpoint({ origin: first?.name ?? '', size: leaves.length, root })
  put(folder, 'checkpoint', await sign(text, signers))
}

/** A checkpoint of the first leaves. */
export async function signPrefix({ leaves }: LogCopy, size: number, signers: Signers): Promise<string> {
  const root = computeRoot(leaves.slice(0, size).map(leaf => hashLeaf(Buffer.from(formatLeaf(leaf)))))
  return sign(formatCheckpoint({ origin: signers.keys[0]?.name ?? '', size, root }), signers)
}

export const sign = async (text: string, { keys, time_s = 0 }: Signers): Promise<string> =>
  formatNote(await signNote(text, keys, time_s))

export function put(folder: string, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

function listTiles(level: Tile['level'], size: number): Tile[] {
  return Array.from({ length: Math.ceil(size / TILE_WIDTH) }, (_, number) => ({
    level,
    number,
    width: computeTileWidth({ level: 'entries', number }, size),
  }))
}

/** Replaces the data of a leaf, with a matching body. */
export function replaceBody(copy: LogCopy, index: number, change: (body: string) => string): void {
  const stored = copy.bodies.get(index)
  const leaf = copy.leaves[index]
  if (!stored || !leaf) throw new Error(`there is no leaf ${index}`)
  const body = change(stored.body)
  copy.bodies.set(index, { ...stored, body })
  copy.leaves[index] = { ...leaf, body_hash: hashBody(Buffer.from(stored.salt, 'base64'), body) }
}

/** Appends a leaf, as the server would record it. */
export function appendLeaf(copy: LogCopy, kind: string, data: Record<string, unknown>): number {
  const index = copy.leaves.length
  const salt = Buffer.alloc(32, index % 256)
  const body = JSON.stringify({ kind, happened_at: '2026-03-03T12:00:00.000Z', ids: {}, data })
  const at_ms = copy.leaves.at(-1)?.at_ms ?? 0
  const event = '019a8c0f-3b7a-7c1e-9a34-d2f10b6c'
  copy.leaves.push({ index, at_ms, kind, event, body_hash: hashBody(salt, body), about: [] })
  copy.bodies.set(index, { index, salt: salt.toString('base64'), body })
  return index
}

export const makeWitness = (name: string) => generateKey(name, 'cosignature')

/** Kinds that are not recorded yet have no subjects. */
const findTypes = (kind: string) =>
  COVERAGE[kind as EventKind]?.about ?? (kind === 'body_erased' ? [] : undefined)

export const verifyFolder = (
  folder: string,
  parts: Partial<VerifyParts> & Pick<VerifyParts, 'policy'>,
): Promise<Verification> =>
  verifyLog({
    files: openLogFolder(folder),
    seen: new Map(),
    newer_than_ms: undefined,
    claims: [],
    with_bodies: true,
    findTypes,
    ...parts,
  })
