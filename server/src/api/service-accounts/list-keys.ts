// GET /service-accounts/{org}/{name}/api-keys: the active keys of a service account.
import { Type } from 'typebox'
import { ApiKey, toWire } from '../keys/wire.ts'
import { defineOperation } from '../operation.ts'
import { listAccountKeys } from './keys-store.ts'
import { noSuchAccount } from './problems.ts'
import { findAccount } from './store.ts'
import { ServiceAccountPath } from './wire.ts'

export const listServiceAccountKeys = defineOperation(
  {
    id: 'listServiceAccountApiKeys',
    method: 'GET',
    path: '/service-accounts/{org}/{name}/api-keys',
    tag: 'Service accounts',
    summary: 'List the API keys of a service account',
    description: 'A plain array of the active keys, oldest first, without secrets.',
    access: 'snapshotter',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: ServiceAccountPath,
    returns: Type.Array(ApiKey),
    fails: [403, 404],
  },
  ({ params, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const account = await findAccount(tx, org.org_id, params.name)
      if (!account) throw noSuchAccount()
      return (await listAccountKeys(tx, org.org_id, account.service_account_id, now)).map(toWire)
    }),
)
