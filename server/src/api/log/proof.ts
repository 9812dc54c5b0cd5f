// GET /log/{org}/proof: the proof that an event is in the log, as a file that can be verified offline.
import { Readable } from 'node:stream'
import { formatProofFile } from '@waybill/transparency-log'
import { Type } from 'typebox'
import { notFound } from '../../lib/errors.ts'
import type { SignedCheckpoint } from '../../log/advance.ts'
import { addCosignatures, chooseCheckpoint } from '../../log/cosigned.ts'
import { Binary, type Deps, Download, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { Closed } from '../shared/wire.ts'
import { checkLeafName, LEAF_NAMES, requireLeaf } from './find-leaf.ts'
import { Size } from './wire.ts'

export const getLogProof = defineOperation(
  {
    id: 'getLogProof',
    method: 'GET',
    path: '/log/{org}/proof',
    tag: 'Log',
    summary: 'Prove that an event is in the log',
    description:
      'A file of C2SP `tlog-proof`: the number of the leaf, its inclusion proof and a signed checkpoint: the one with cosignatures that `checkpoint` returns, if the leaf is in it, and else the newest. Name the leaf by its number, by the id of its event, or by what it reports: an attestation, the report of an artifact, a trail or a snapshot.',
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('LogProofQuery', {
      ...LEAF_NAMES,
      size: Type.Optional(Size('Size of the tree that the proof is about; by default the newest')),
    }),
    returns: Binary,
    download: 'text/plain',
    fails: [400, 403, 404, 503],
    example: { query: { index: '0' } },
  },
  async ({ org, query }, deps) => {
    const { db, logs } = deps
    const { size, ...name } = query
    checkLeafName(name, org)
    const found = name.index === undefined ? await requireLeaf(db, org, name) : { seq: name.index }
    const checkpoint = await choose(deps, org.org_id, found.seq, size)
    const { seq: index, epoch = checkpoint.epoch }: { seq: number; epoch?: number } = found
    if (epoch !== checkpoint.epoch)
      throw notFound(
        `It is leaf ${index} of log ${epoch}, which was closed after a loss of data: its stored checkpoints and tiles remain`,
      )
    const proof = await logs.prove(org.org_id, { index }, checkpoint)
    if (!proof) throw notFound(`A log of ${checkpoint.size} leaves has no leaf ${index}`)
    const text = formatProofFile(proof)
    return new Download(`${index}.tlog-proof`, Readable.from([text]), Buffer.byteLength(text))
  },
)

/** Prefers a cosigned checkpoint, if one covers the leaf. */
async function choose(
  { db, logs, log_policy }: Deps,
  org_id: string,
  index: number,
  size: number | undefined,
): Promise<SignedCheckpoint> {
  if (size !== undefined) return addCosignatures(db, log_policy, org_id, await logs.signAt(org_id, size))
  const newest = await logs.sign(org_id)
  const chosen = await chooseCheckpoint(db, log_policy, org_id, newest)
  return index < chosen.size ? chosen : newest
}
