// PATCH /service-accounts/{org}/{name}: changes the display name, description, privilege or owner.
import { isDeepStrictEqual } from 'node:util'
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { refuseEscalation, requireLockedAccount, resolveOwner } from './permission.ts'
import * as store from './store.ts'
import { ServiceAccount, ServiceAccountPatch, ServiceAccountPath, toWire } from './wire.ts'

/** The fields of an account that can change, as events record them. */
const summarizeAccount = ({ display_name, privilege, description, owner_name: owner }: store.AccountRow) => ({
  display_name,
  privilege,
  description,
  owner,
})

export const patchServiceAccount = defineOperation(
  {
    id: 'patchServiceAccount',
    method: 'PATCH',
    path: '/service-accounts/{org}/{name}',
    tag: 'Service accounts',
    summary: 'Change a service account',
    description:
      'Omitted fields keep their values; a null display name or description is cleared. The privilege is at most the role ' +
      'of the caller, and applies to the keys of the account immediately. For the owner of the account, and for admins. Only ' +
      'admins can set another `owner`, which keeps the keys working if the previous owner has left.',
    access: 'snapshotter',
    recheck_caller: true,
    audit: 'service_account_changed',
    params: ServiceAccountPath,
    body: ServiceAccountPatch,
    returns: ServiceAccount,
    fails: [400, 403, 404],
    example: { body: { description: 'Reports deployments', privilege: 'snapshotter' } },
  },
  async (request, { db, ids, forgetCaller }) => {
    const { org, body } = request
    const { before, after } = await db.withTransaction({ org_id: org.org_id }, async tx => {
      const before = await requireLockedAccount(tx, request)
      const privilege = body.privilege ?? before.privilege
      const description = body.description === undefined ? before.description : (body.description ?? '')
      const display_name =
        body.display_name === undefined ? before.display_name : body.display_name || before.name
      refuseEscalation(org.role, privilege)
      const ownership = body.owner === undefined ? before : await resolveOwner(tx, org, body.owner)
      const { owner_user_id, owner_name, keys_stop_at, owner_role } = ownership
      const after = {
        ...before,
        ...{ display_name, privilege, description, owner_user_id, owner_name, keys_stop_at, owner_role },
      }
      if (isDeepStrictEqual(after, before)) return { before, after }
      await store.updateAccount(tx, org.org_id, after)
      const data = {
        service_account: after.name,
        ...summarizeAccount(after),
        previous: summarizeAccount(before),
      }
      await recordEvent(tx, request, ids, {
        kind: 'service_account_changed',
        data,
        row_ids: { service_account: before.service_account_id },
      })
      return { before, after }
    })
    forgetCaller(before.service_account_id)
    return toWire(after)
  },
)
