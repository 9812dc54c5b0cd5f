// POST /service-accounts/{org}/{name}/api-keys: a new key of an account.
import { AccountKeyPost, CreatedApiKey } from '../keys/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { addKey } from '../shared/key-ring.ts'
import { changeAccountKeys, type KeyWork } from './keys.ts'
import { resolveScope } from './scope.ts'
import { ServiceAccountPath } from './wire.ts'

export const createServiceAccountKey = defineOperation(
  {
    id: 'createServiceAccountApiKey',
    method: 'POST',
    path: '/service-accounts/{org}/{name}/api-keys',
    tag: 'Service accounts',
    summary: 'Create an API key of a service account',
    description:
      'The secret is in the answer and never shown again: a retry with the same `Idempotency-Key` creates nothing and ' +
      'answers 409. For the owner of the account, if they may do what it may, and for admins. A key can be limited to kinds of ' +
      'operations, flows, environments and addresses. It lives no longer than the organization allows, and no longer than ' +
      'the key that creates it.',
    access: 'snapshotter',
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
    const work: KeyWork<CreatedApiKey> = async (ring, bounds, tx) => {
      const scope = await resolveScope(tx, request.org, { flows, environments })
      return addKey(ring, { ...input, scope }, bounds, deps)
    }
    return new Answer(201, await changeAccountKeys(request, deps, work, { answersSecret: true }))
  },
)
