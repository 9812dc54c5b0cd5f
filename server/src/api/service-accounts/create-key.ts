// POST /service-accounts/{org}/{name}/api-keys: creates an API key for a service account.

import { addKey } from '../keys/key-ring.ts'
import { AccountKeyPost, CreatedApiKey } from '../keys/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { changeAccountKeys, type KeyChange } from './keys.ts'
import { resolveScope } from './scope.ts'
import { ServiceAccountPath } from './wire.ts'

export const createServiceAccountKey = defineOperation(
  {
    id: 'createServiceAccountApiKey',
    method: 'POST',
    path: '/service-accounts/{org}/{name}/api-keys',
    tag: 'Service accounts',
    summary: 'Create an API key for a service account',
    description:
      'The secret is only in this response: a retry with the same `Idempotency-Key` creates nothing and gets 409. For ' +
      'admins, and for the owner of the account if their role is at least its privilege. A key can be limited to kinds of ' +
      'operations, flows, environments and IP addresses. Its lifetime is limited by the organization and by the expiry of ' +
      'the key that creates it.',
    access: 'snapshotter',
    recheck_caller: true,
    audit: 'api_key_created',
    params: ServiceAccountPath,
    body: AccountKeyPost,
    returns: CreatedApiKey,
    creates: true,
    fails: [400, 403, 404, 409, 422],
    example: { body: { description: 'build server', expires_at: 4_102_444_800 } },
  },
  async (request, deps) => {
    const { flows, environments, ...input } = request.body
    const change: KeyChange<CreatedApiKey> = async (ring, bounds, tx) => {
      const scope = await resolveScope(tx, request.org, { flows, environments })
      return addKey(ring, { ...input, scope }, bounds, deps)
    }
    return new Answer(201, await changeAccountKeys(request, deps, change, { returnsSecret: true }))
  },
)
