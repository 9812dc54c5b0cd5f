// GET /service-accounts/{org}/{name}/api-keys/{key_id}: one active key of a service account.
import { parseWireId } from '../../lib/ids.ts'
import { noSuchKey } from '../keys/problems.ts'
import { ApiKey, toWire } from '../keys/wire.ts'
import { defineOperation } from '../operation.ts'
import { findAccountKey } from './keys-store.ts'
import { noSuchAccount } from './problems.ts'
import { ServiceAccountKeyPath } from './wire.ts'

export const getServiceAccountKey = defineOperation(
  {
    id: 'getServiceAccountApiKey',
    method: 'GET',
    path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
    tag: 'Service accounts',
    summary: 'Get an API key of a service account',
    access: 'snapshotter',
    auditors: true,
    audit: 'none: reads',
    params: ServiceAccountKeyPath,
    returns: ApiKey,
    fails: [403, 404],
  },
  async ({ params, org, now }, { db }) => {
    const filter = { name: params.name, key_id: parseWireId(params.key_id) ?? null, now }
    const key = await findAccountKey(db, org.org_id, filter)
    if (key === 'no account') throw noSuchAccount()
    if (key === 'no key') throw noSuchKey()
    return toWire(key)
  },
)
