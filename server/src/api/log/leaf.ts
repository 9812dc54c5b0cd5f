// GET /log/{org}/leaf: the log position of a record, for a page that shows it.
import { LogUnsigned } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import type { Logs } from '../../log/logs.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { Closed, toEpoch } from '../shared/wire.ts'
import { checkLeafName, LEAF_NAMES, requireLeaf } from './find-leaf.ts'
import { listSeenWitnesses } from './seen-witnesses.ts'
import { LogPlace } from './wire.ts'

export const getLogLeaf = defineOperation(
  {
    id: 'getLogLeaf',
    method: 'GET',
    path: '/log/{org}/leaf',
    tag: 'Log',
    summary: 'Find the leaf of a record',
    description:
      'Name it as for a proof. The number of the leaf in which an event, an attestation, the report of an artifact, a trail or a snapshot was recorded, and the newest checkpoint that has it. Records from before the log have none (404).',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('LogLeafQuery', LEAF_NAMES),
    returns: LogPlace,
    fails: [400, 403, 404],
    example: { query: { index: '0' } },
  },
  async ({ org, query }, { db, logs, log_policy }) => {
    checkLeafName(query, org)
    const { epoch, seq, event_id, kind, logged_ms } = await requireLeaf(db, org, query)
    const { org_id } = org
    const checkpoint = await signIfPossible(logs, org_id)
    const seen = await db.withTransaction({ org_id }, tx =>
      listSeenWitnesses(tx, log_policy, { org_id, epoch }),
    )
    return {
      epoch,
      index: seq,
      event: toWireId(event_id),
      kind,
      logged_at: toEpoch(new Date(logged_ms)),
      checkpoint_size: checkpoint?.epoch === epoch ? checkpoint.size : null,
      witnesses: seen.filter(({ size }) => size > seq).length,
    }
  },
)

/** Even without a signature, the position of a leaf is known. */
async function signIfPossible(logs: Logs, org_id: string) {
  try {
    return await logs.sign(org_id)
  } catch (error) {
    if (error instanceof LogUnsigned) return undefined
    throw error
  }
}
