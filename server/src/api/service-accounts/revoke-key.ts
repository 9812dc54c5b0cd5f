// DELETE /service-accounts/{org}/{name}/api-keys/{key_id}: revokes a key immediately.

import { revokeKey } from '../keys/key-ring.ts'
import { REVOKED, Revoked } from '../keys/wire.ts'
import { defineOperation } from '../operation.ts'
import { changeAccountKeys } from './keys.ts'
import { ServiceAccountKeyPath } from './wire.ts'

export const revokeServiceAccountKey = defineOperation(
  {
    id: 'revokeServiceAccountApiKey',
    method: 'DELETE',
    path: '/service-accounts/{org}/{name}/api-keys/{key_id}',
    tag: 'Service accounts',
    summary: 'Revoke an API key of a service account',
    description:
      'A key that is already revoked gets 404. For admins, and for the owner of the account if their role is at least its privilege.',
    access: 'snapshotter',
    recheck_caller: true,
    audit: 'api_key_revoked',
    params: ServiceAccountKeyPath,
    returns: Revoked,
    fails: [403, 404],
  },
  (request, deps) =>
    changeAccountKeys(
      { ...request, body: null },
      deps,
      async ring => ({ answer: REVOKED, event: await revokeKey(ring, request.params.key_id) }),
      { returnsSecret: false },
    ),
)
