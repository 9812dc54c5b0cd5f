// GET /service-accounts/{org}/{name}: one service account.
import { defineOperation } from '../operation.ts'
import { noSuchAccount } from './problems.ts'
import { findAccountOnce } from './store.ts'
import { ServiceAccount, ServiceAccountPath, toWire } from './wire.ts'

export const getServiceAccount = defineOperation(
  {
    id: 'getServiceAccount',
    method: 'GET',
    path: '/service-accounts/{org}/{name}',
    tag: 'Service accounts',
    summary: 'Get a service account',
    access: 'snapshotter',
    auditors: true,
    audit: 'none: reads',
    params: ServiceAccountPath,
    returns: ServiceAccount,
    fails: [403, 404],
  },
  async ({ params, org }, { db }) => {
    const account = await findAccountOnce(db, org.org_id, params.name)
    if (!account) throw noSuchAccount()
    return toWire(account)
  },
)
