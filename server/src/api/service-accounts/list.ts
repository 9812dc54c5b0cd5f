// GET /service-accounts/{org}: every service account of the org.
import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { listAccounts } from './store.ts'
import { ServiceAccount, ServiceAccountsPath, toWire } from './wire.ts'

export const listServiceAccounts = defineOperation(
  {
    id: 'listServiceAccounts',
    method: 'GET',
    path: '/service-accounts/{org}',
    tag: 'Service accounts',
    summary: 'List service accounts',
    description: 'A plain array sorted by name, including accounts that others created.',
    access: 'snapshotter',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: ServiceAccountsPath,
    returns: Type.Array(ServiceAccount),
    fails: [403],
  },
  async ({ org }, { db }) => (await listAccounts(db, org.org_id)).map(toWire),
)
