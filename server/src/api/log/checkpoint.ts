// GET /log/{org}/checkpoint: the signed size and root of the log, as witnesses have seen it.
import { Readable } from 'node:stream'
import { formatNote } from '@waybill/transparency-log'
import { Type } from 'typebox'
import { addCosignatures, chooseCheckpoint } from '../../log/cosigned.ts'
import { Binary, Download, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { about, Closed } from '../shared/wire.ts'

export const getLogCheckpoint = defineOperation(
  {
    id: 'getLogCheckpoint',
    method: 'GET',
    path: '/log/{org}/checkpoint',
    tag: 'Log',
    summary: 'Get the newest checkpoint',
    description:
      'A signed note of C2SP: the name of the log, its size and its root. If the operator has a policy of witnesses that requires cosignatures, it is the newest checkpoint that has enough of them. 503 if the log cannot be signed.',
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('LogCheckpointQuery', {
      newest: Type.Optional(
        Type.Boolean(about('The newest checkpoint, even if too few witnesses have cosigned it', false)),
      ),
    }),
    returns: Binary,
    download: 'text/plain',
    fails: [403, 404, 503],
  },
  async ({ org, query }, { db, logs, log_policy }) => {
    const { org_id } = org
    const newest = await logs.sign(org_id)
    const choose = query.newest ? addCosignatures : chooseCheckpoint
    const { note } = await choose(db, log_policy, org_id, newest)
    const text = formatNote(note)
    return new Download('checkpoint', Readable.from([text]), Buffer.byteLength(text))
  },
)
