// Seals what auditors download: the log records its hash, and a package carries the leaf, with its proof and the
// signed checkpoint that contains it.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { formatProofFile } from '@waybill/transparency-log'
import { formatJson, ISSUED, type Issued, SEAL_FILES } from '../../domain/audit-package/seal.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import type { PackageEntry } from '../../evidence/audit-package.ts'
import { assert } from '../../lib/assert.ts'
import { orgFrozen } from '../../lib/errors.ts'
import type { SignedCheckpoint } from '../../log/advance.ts'
import { isWritable } from '../../log/content-store.ts'
import { findLeafOfEvent } from '../../log/leaf-store.ts'
import { type CallerOrg, type Deps, Download } from '../operation.ts'
import { formatCheckpointFile, readSealLeaf } from './leaves.ts'

export interface SealRequest extends RequestContext {
  readonly org: CallerOrg
}

/** Whether a download is recorded: strangers must not be able to make the log grow. */
export const isRecorded = ({ org }: SealRequest): boolean => !org.is_visitor

/** The event comes last; a download that could not be recorded must not begin. */
export async function requireWritable({ org: { org_id } }: SealRequest, { db }: Deps): Promise<void> {
  const writable = await db.withTransaction({ org_id }, isWritable)
  if (!writable) throw orgFrozen()
}

/** `before` is the checkpoint of the other proofs in the package. */
export async function* streamSeal(
  issued: Issued,
  { request, before }: { request: SealRequest; before: SignedCheckpoint },
  deps: Deps,
): AsyncGenerator<PackageEntry> {
  const { org_id } = request.org
  const event_id = await record(issued, request, deps)
  const found = await findLeafOfEvent(deps.db, org_id, event_id)
  assert(found, 'a committed event has a leaf')
  const checkpoint = await deps.logs.sign(org_id, found.seq + 1)
  const { epoch, size } = checkpoint
  const proof = await deps.logs.prove(org_id, { index: found.seq }, checkpoint)
  assert(proof && epoch === found.epoch && epoch === before.epoch, 'the log was not reopened meanwhile')
  const hashes = await deps.logs.proveConsistency(org_id, epoch, before.size, size)
  const consistency = { from: before.size, to: size, hashes: hashes.map(hash => hash.toString('base64')) }
  yield { path: SEAL_FILES.leaf, content: formatJson(await readSealLeaf(org_id, found, deps)) }
  yield { path: SEAL_FILES.proof, content: formatProofFile(proof) }
  yield { path: SEAL_FILES.checkpoint, content: formatCheckpointFile(checkpoint) }
  yield { path: SEAL_FILES.consistency, content: formatJson(consistency) }
}

async function record(issued: Issued, request: SealRequest, { db, ids }: Deps): Promise<string> {
  const { org, caller, now, request_id } = request
  // Without the receipt: the headers of the response have been sent.
  const context = { org, caller, now, request_id }
  return db.withTransaction({ org_id: org.org_id }, tx =>
    recordEvent(tx, context, ids, { kind: ISSUED, data: { ...issued } }),
  )
}

/** Records the hash of a file. Its end is sent only after that. */
export async function sealDownload(
  { name, content, bytes, type }: Download,
  issued: Omit<Issued, 'sha256'>,
  request: SealRequest,
  deps: Deps,
): Promise<Download> {
  if (!isRecorded(request)) return new Download(name, content, bytes, type)
  await requireWritable(request, deps)
  const send = (sha256: string) => record({ ...issued, sha256 }, request, deps)
  return new Download(name, Readable.from(hashWhole(content, send)), bytes, type)
}

async function* hashWhole(
  content: Readable,
  send: (sha256: string) => Promise<unknown>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let held: Buffer | undefined
  for await (const chunk of content) {
    if (held) yield held
    held = Buffer.from(chunk)
    hash.update(held)
  }
  await send(hash.digest('hex'))
  if (held) yield held
}
