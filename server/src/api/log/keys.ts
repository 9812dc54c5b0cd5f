// GET /log/{org}/keys: the public keys of the log.
import { listLogKeys } from '../../log/keys-store.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { LogKeys, toWireKey } from './wire.ts'

export const getLogKeys = defineOperation(
  {
    id: 'getLogKeys',
    method: 'GET',
    path: '/log/{org}/keys',
    tag: 'Log',
    summary: 'Get the public keys of the log',
    description:
      'A verifier keeps the first one and follows the leaves `log_key_added`, which the key before signed. Every key that is not retired signs each checkpoint.',
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: OrgPath,
    returns: LogKeys,
    fails: [403, 404, 503],
  },
  async ({ org }, { db, logs }) => {
    const { org_id } = org
    const { epoch, origin } = await logs.sign(org_id)
    const keys = await db.withTransaction({ org_id }, tx => listLogKeys(tx, org_id, epoch))
    return { origin, epoch, keys: keys.map(toWireKey) }
  },
)
