// DELETE /service-accounts/{org}/{name}: deletes the account, revokes its keys and frees its name.
import { recordEvent } from '../../events/record.ts'
import { toWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { revokeAllKeys } from './keys-store.ts'
import { requireLockedAccount } from './permission.ts'
import * as store from './store.ts'
import { ServiceAccountPath } from './wire.ts'

export const deleteServiceAccount = defineOperation(
  {
    id: 'deleteServiceAccount',
    method: 'DELETE',
    path: '/service-accounts/{org}/{name}',
    tag: 'Service accounts',
    summary: 'Delete a service account',
    description:
      'Revokes its keys and frees its name; its actions stay in the history. For the owner of the account, and for admins.',
    access: 'snapshotter',
    recheck_caller: true,
    audit: 'service_account_deleted',
    params: ServiceAccountPath,
    returns: Ok,
    fails: [403, 404],
  },
  async (request, { db, ids, forgetCaller }) => {
    const { org, caller, now } = request
    const { org_id } = org
    const service_account_id = await db.withTransaction({ org_id }, async tx => {
      const { service_account_id, name, privilege, description } = await requireLockedAccount(tx, request)
      await store.deleteAccount(tx, org_id, service_account_id, now)
      const revoked = await revokeAllKeys(tx, org_id, { service_account_id, now, revoked_by: caller.name })
      const revoked_keys = revoked.map(({ key_id, hint }) => ({ key_id: toWireId(key_id), hint }))
      const data = { service_account: name, privilege, description, revoked_keys }
      const row_ids = { service_account: service_account_id, key: revoked.map(({ key_id }) => key_id) }
      await recordEvent(tx, request, ids, { kind: 'service_account_deleted', data, row_ids })
      return service_account_id
    })
    forgetCaller(service_account_id)
    return OK
  },
)
