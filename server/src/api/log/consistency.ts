// GET /log/{org}/consistency: the proof that the log only grew between two sizes.
import { badRequest, notFound } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { Closed } from '../shared/wire.ts'
import { LogConsistency, Size } from './wire.ts'

export const getLogConsistency = defineOperation(
  {
    id: 'getLogConsistency',
    method: 'GET',
    path: '/log/{org}/consistency',
    tag: 'Log',
    summary: 'Prove that the log only grew',
    description: 'The consistency proof of RFC 6962 between two sizes, whose checkpoints the caller has.',
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('LogConsistencyQuery', {
      from_size: Size('The smaller size'),
      to_size: Size('The larger size'),
    }),
    returns: LogConsistency,
    fails: [400, 403, 404, 503],
    example: { query: { from_size: '1', to_size: '1' } },
  },
  async ({ org, query }, { logs }) => {
    const { from_size, to_size } = query
    if (from_size > to_size) throw badRequest('from_size should not be larger than to_size')
    const { epoch, size } = await logs.sign(org.org_id)
    if (to_size > size) throw notFound(`The log has ${size} leaves, not ${to_size}`)
    const hashes = await logs.proveConsistency(org.org_id, epoch, from_size, to_size)
    return { epoch, from_size, to_size, hashes: hashes.map(hash => hash.toString('base64')) }
  },
)
