// PATCH /service-accounts/{org}/{name}: another description or privilege.
import { record } from '../../events/record.ts'
import { operation } from '../operation.ts'
import { holdAccount, refuseMoreThan } from './permission.ts'
import * as store from './store.ts'
import { ServiceAccount, ServiceAccountPatch, ServiceAccountPath, toWire } from './wire.ts'

export const patchServiceAccount = operation(
  {
    id: 'patchServiceAccount',
    method: 'PATCH',
    path: '/service-accounts/{org}/{name}',
    tag: 'Service accounts',
    summary: 'Change a service account',
    description:
      'What is left out stays; a description that is null is cleared. The privilege is at most the role of the caller, ' +
      'and counts for the keys of the account at once. For whoever created the account, and for admins.',
    access: 'snapshotter',
    audit: 'service_account_changed',
    params: ServiceAccountPath,
    body: ServiceAccountPatch,
    returns: ServiceAccount,
    fails: [400, 403, 404],
    example: { body: { description: 'Reports what is deployed', privilege: 'snapshotter' } },
  },
  async (request, { db, ids, forgetCaller }) => {
    const { org, body } = request
    const { before, after } = await db.inTransaction({ org_id: org.org_id }, async tx => {
      const before = await holdAccount(tx, request)
      const privilege = body.privilege ?? before.privilege
      const description = body.description === undefined ? before.description : (body.description ?? '')
      refuseMoreThan(org.role, privilege)
      const after = { ...before, privilege, description }
      const previous = { privilege: before.privilege, description: before.description }
      if (privilege === previous.privilege && description === previous.description) return { before, after }
      await store.updateAccount(tx, org.org_id, after)
      const data = { service_account: after.name, privilege, description, previous }
      await record(tx, request, ids, { kind: 'service_account_changed', data })
      return { before, after }
    })
    forgetCaller(before.service_account_id)
    return toWire(after)
  },
)
