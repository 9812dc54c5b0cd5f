// The leaves of an audit package: each event as it is in the log, with its proof, and with the contents that it commits
// to. Each leaf is in the package once.
import { formatNote, formatProofFile } from '@waybill/transparency-log'
import { isPart, type ProvenLeaf, toProvenLeaf } from '../../domain/audit-package/proven-leaf.ts'
import { parseValues, toValues } from '../../domain/audit-package/records.ts'
import { formatJson } from '../../domain/audit-package/seal.ts'
import { parseLeaf } from '../../domain/log/leaf.ts'
import type { PackageEntry } from '../../evidence/audit-package.ts'
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import type { SignedCheckpoint } from '../../log/advance.ts'
import { formatStoredLeaf } from '../../log/check-leaf.ts'
import { type LeafWithEvent, listLeavesWithEvents } from '../../log/check-store.ts'
import { readState } from '../../log/content-store.ts'
import { type FoundLeaf, findLeafOfEvent } from '../../log/leaf-store.ts'
import { printStoredBody } from '../../log/stored-body.ts'
import type { Deps } from '../operation.ts'

type Contents = Readonly<Record<string, string>>

/** Its value is undefined if nothing can be proved with the leaf. */
type WrittenLeaf = AsyncGenerator<PackageEntry, ProvenLeaf | undefined>

export interface Leaves {
  checkpoint: SignedCheckpoint
  /** `contents` are rows of the database that the event may commit to. */
  write(found: FoundLeaf | undefined, contents?: Contents): WrittenLeaf
  find(event: string): ProvenLeaf | undefined
}

type LeafDeps = Pick<Deps, 'db' | 'logs'>

export function makeLeaves(org_id: string, checkpoint: SignedCheckpoint, deps: LeafDeps): Leaves {
  const written = new Map<string, ProvenLeaf | undefined>()
  const by_event = new Map<string, ProvenLeaf>()

  async function* write(found: FoundLeaf | undefined, given: Contents = {}): WrittenLeaf {
    const { epoch, size } = checkpoint
    // Events recorded after the checkpoint are in the next package.
    if (!found || (found.epoch === epoch && found.seq >= size)) return undefined
    const key = `${found.epoch}/${found.seq}`
    if (written.has(key)) return written.get(key)
    written.set(key, undefined)
    const row = await readRow(org_id, found, deps)
    yield* writeRow(row, found, { org_id, checkpoint }, deps)
    // A log that was closed after a loss has no proofs.
    if (found.epoch !== epoch) return undefined
    const erasure = parseWireId(String(toValues(row.values).erased_by ?? ''))
    if (row.salt === null && erasure) yield* write(await findLeafOfEvent(deps.db, org_id, erasure))
    const leaf = yield* writeContents(row, await readContents(org_id, row, given, deps))
    written.set(key, leaf)
    if (leaf) by_event.set(leaf.event, leaf)
    return leaf
  }

  return { checkpoint, write, find: event => by_event.get(event) }
}

async function readRow(org_id: string, { seq, epoch }: FoundLeaf, { db }: LeafDeps): Promise<LeafWithEvent> {
  const [row] = await db.withTransaction({ org_id }, tx =>
    listLeavesWithEvents(tx, { org_id, epoch, from: seq, limit: 1 }),
  )
  if (row?.seq !== seq) throw notFound(`Leaf ${seq} is gone`)
  return row
}

async function* writeRow(
  row: LeafWithEvent,
  { epoch }: FoundLeaf,
  { org_id, checkpoint }: { org_id: string; checkpoint: SignedCheckpoint },
  { logs }: LeafDeps,
): AsyncGenerator<PackageEntry> {
  const isOfThisLog = epoch === checkpoint.epoch
  const name = isOfThisLog ? `log/${row.seq}` : `log-${epoch}/${row.seq}`
  yield {
    path: `${name}.json`,
    content: formatJson({ ...formatRow(row), ...(isOfThisLog ? {} : { epoch }) }),
  }
  const proof = isOfThisLog ? await logs.prove(org_id, { index: row.seq }, checkpoint) : undefined
  if (proof) yield { path: `${name}.tlog-proof`, content: formatProofFile(proof) }
}

/** Without a salt the body was erased; the leaf stays. */
function formatRow(row: LeafWithEvent) {
  const leaf = formatStoredLeaf(row)
  const body = printStoredBody(row)
  if (body === undefined || row.salt === null) return { index: row.seq, leaf }
  return { index: row.seq, leaf, body, salt: row.salt.toString('base64') }
}

async function readContents(
  org_id: string,
  { contents, environment_id, values }: LeafWithEvent,
  given: Contents,
  { db }: LeafDeps,
): Promise<Contents> {
  const { state, ...others } = contents ?? {}
  const stored = Object.entries(others).flatMap(([name, text]) => (text === null ? [] : [[name, text]]))
  const all: Record<string, string> = { ...given, ...Object.fromEntries(stored) }
  const snapshot_index = Number(values?.snapshot_index)
  if (!state || environment_id === null || !Number.isSafeInteger(snapshot_index)) return all
  const text = await db.withTransaction({ org_id }, tx =>
    readState(tx, org_id, { environment_id, snapshot_index }),
  )
  return text === undefined ? all : { ...all, state: text }
}

/** Only what is as it was recorded: a row may have changed since. */
async function* writeContents(row: LeafWithEvent, stored: Contents): WrittenLeaf {
  const { leaf: text, body, salt } = formatRow(row)
  const leaf = parseLeaf(text)
  if (!leaf || body === undefined || salt === undefined) return undefined
  const recorded = parseValues(body) ?? {}
  const salt_bytes = Buffer.from(salt, 'base64')
  const contents = new Map<string, string>()
  for (const [name, content] of Object.entries(stored)) {
    if (!isPart(name, content, toValues(recorded.parts), salt_bytes)) continue
    contents.set(name, content)
    yield { path: `parts/${leaf.index}/${name}`, content }
  }
  return toProvenLeaf(leaf, recorded, salt_bytes, contents)
}

/** The leaf of the seal. */
export async function readSealLeaf(org_id: string, found: FoundLeaf, deps: LeafDeps) {
  return formatRow(await readRow(org_id, found, deps))
}

export const formatCheckpointFile = ({ note }: SignedCheckpoint): string => formatNote(note)
