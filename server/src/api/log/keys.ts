// GET /log/{org}/keys: the public keys of the log.
import { listLogKeys } from '../../log/keys-store.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { requireLog } from './require-log.ts'
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
    const find = () =>
      db.withTransaction({ org_id }, async tx => {
        const { epoch, origin } = await requireLog(tx, org_id)
        return { origin, epoch, keys: (await listLogKeys(tx, org_id, epoch)).map(toWireKey) }
      })
    const found = await find()
    if (found.keys.length > 0) return found
    // The first signature creates the first key.
    await logs.sign(org_id)
    return find()
  },
)
