// GET /log/{org}/proof: that an event is in the log, as a file that can be verified offline.
import { Readable } from 'node:stream'
import { formatProofFile } from '@waybill/transparency-log'
import { Type } from 'typebox'
import { notFound } from '../../lib/errors.ts'
import { Binary, Download, defineOperation } from '../operation.ts'
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
      'A file of C2SP `tlog-proof`: the number of the leaf, its inclusion proof and a signed checkpoint. Name the leaf by its number, by the id of its event, or by what it reports: an attestation, the report of an artifact, a trail or a snapshot.',
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
  async ({ org, query }, { db, logs }) => {
    const { size, ...name } = query
    checkLeafName(name, org)
    const found = name.index === undefined ? await requireLeaf(db, org, name) : { seq: name.index }
    const checkpoint = await (size === undefined ? logs.sign(org.org_id) : logs.signAt(org.org_id, size))
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
