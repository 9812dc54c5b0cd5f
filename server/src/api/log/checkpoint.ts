// GET /log/{org}/checkpoint: the signed size and root of the log as it is now.
import { Readable } from 'node:stream'
import { formatNote } from '@waybill/transparency-log'
import { Binary, Download, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'

export const getLogCheckpoint = defineOperation(
  {
    id: 'getLogCheckpoint',
    method: 'GET',
    path: '/log/{org}/checkpoint',
    tag: 'Log',
    summary: 'Get the newest checkpoint',
    description:
      'A signed note of C2SP: the name of the log, its size and its root. 503 if the log cannot be signed.',
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: OrgPath,
    returns: Binary,
    download: 'text/plain',
    fails: [403, 404, 503],
  },
  async ({ org }, { logs }) => {
    const { note } = await logs.sign(org.org_id)
    const text = formatNote(note)
    return new Download('checkpoint', Readable.from([text]), Buffer.byteLength(text))
  },
)
