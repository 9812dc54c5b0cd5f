// The seal of an audit package: the log records the hash of its manifest, and the package carries the leaf, with its
// proof and the signed checkpoint that contains it.
import { formatProofFile } from '@waybill/transparency-log'
import { formatJson, type Issued, SEAL_FILES } from '../../domain/audit-package/seal.ts'
import type { PackageEntry } from '../../evidence/audit-package.ts'
import { assert } from '../../lib/assert.ts'
import type { SignedCheckpoint } from '../../log/advance.ts'
import { findLeafOfEvent } from '../../log/leaf-store.ts'
import type { Deps } from '../operation.ts'
import { type IssueRequest, recordIssued } from '../shared/issued.ts'
import { formatCheckpointFile, readSealLeaf } from './leaves.ts'

/** `before` is the checkpoint of the other proofs in the package. */
export async function* streamSeal(
  issued: Issued,
  { request, before }: { request: IssueRequest; before: SignedCheckpoint },
  deps: Deps,
): AsyncGenerator<PackageEntry> {
  const { org_id } = request.org
  const event_id = await recordIssued(issued, request, deps)
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
