// GET /log/{org}/proof: that an event is in the log, as a file that can be verified offline.
import { Readable } from 'node:stream'
import { formatProofFile } from '@waybill/transparency-log'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { badRequest, notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import type { SignedCheckpoint } from '../../log/advance.ts'
import { addCosignatures, chooseCheckpoint } from '../../log/cosigned.ts'
import { findLeafOfEvent } from '../../log/tree-store.ts'
import { Binary, type CallerOrg, type Deps, Download, defineOperation } from '../operation.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { OrgPath } from '../shared/fields.ts'
import { about, Closed } from '../shared/wire.ts'
import { Index, Size } from './wire.ts'

export const getLogProof = defineOperation(
  {
    id: 'getLogProof',
    method: 'GET',
    path: '/log/{org}/proof',
    tag: 'Log',
    summary: 'Prove that an event is in the log',
    description:
      'A file of C2SP `tlog-proof`: the number of the leaf, its inclusion proof and a signed checkpoint: the one with cosignatures that `checkpoint` returns, if the leaf is in it, and else the newest. Name the leaf by its number or by the id of its event.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('LogProofQuery', {
      index: Type.Optional(Index),
      event: Type.Optional(Type.String(about('Id of the event, instead of `index`', EXAMPLE_ID))),
      size: Type.Optional(Size('Size of the tree that the proof is about; by default the newest')),
    }),
    returns: Binary,
    download: 'text/plain',
    fails: [400, 403, 404, 503],
    example: { query: { index: '0' } },
  },
  async ({ org, query }, deps) => {
    const { db, logs } = deps
    const { size } = query
    const index = await findIndex(db, org, query)
    const checkpoint = await choose(deps, org.org_id, index, size)
    const proof = await logs.prove(org.org_id, { index }, checkpoint)
    if (!proof) throw notFound(`A log of ${checkpoint.size} leaves has no leaf ${index}`)
    const text = formatProofFile(proof)
    return new Download(`${index}.tlog-proof`, Readable.from([text]), Buffer.byteLength(text))
  },
)

/** A cosigned checkpoint, if one covers the leaf. */
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

async function findIndex(
  db: Database,
  org: CallerOrg,
  { index, event }: { index?: number; event?: string },
): Promise<number> {
  if ((index === undefined) === (event === undefined))
    throw badRequest('Name the leaf by either index or event')
  if (index !== undefined) return index
  const id = parseWireId(event ?? '')
  const found = id && (await findLeafOfEvent(db, org.org_id, id))
  if (!found) throw notFound(`The log of organization '${org.name}' has no event '${event}'`)
  return found.seq
}
