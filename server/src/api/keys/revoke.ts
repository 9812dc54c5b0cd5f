// DELETE /user/api-keys/{key_id}: revokes a key of the caller at once.
import { defineOperation } from '../operation.ts'
import { revokeKey } from './key-ring.ts'
import { changeOwnKeys } from './own.ts'
import { OwnKeyPath, REVOKED, Revoked } from './wire.ts'

export const revokePersonalApiKey = defineOperation(
  {
    id: 'revokePersonalApiKey',
    method: 'DELETE',
    path: '/user/api-keys/{key_id}',
    tag: 'User',
    summary: 'Revoke an API key of the caller',
    description: 'Takes effect at once, also for the key that sends the request. A revoked key is 404.',
    access: 'user',
    recheck_caller: true,
    audit: 'api_key_revoked',
    params: OwnKeyPath,
    returns: Revoked,
    fails: [403, 404],
  },
  (request, deps) =>
    changeOwnKeys(
      { ...request, body: null },
      deps,
      async ring => ({ answer: REVOKED, event: await revokeKey(ring, request.params.key_id) }),
      { answersSecret: false },
    ),
)
