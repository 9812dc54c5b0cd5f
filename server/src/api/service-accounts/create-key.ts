// POST /service-accounts/{org}/{name}/api-keys: a new key of an account.
import { ApiKeyPost, CreatedApiKey } from '../keys/wire.ts'
import { Answer, operation } from '../operation.ts'
import { addKey } from '../shared/key-ring.ts'
import { changeAccountKeys } from './keys.ts'
import { ServiceAccountPath } from './wire.ts'

export const createServiceAccountKey = operation(
  {
    id: 'createServiceAccountApiKey',
    method: 'POST',
    path: '/service-accounts/{org}/{name}/api-keys',
    tag: 'Service accounts',
    summary: 'Create an API key of a service account',
    description:
      'The secret is in the answer and never shown again: a retry with the same `Idempotency-Key` creates nothing and ' +
      'answers 409. For whoever created the account and may do what it may, and for admins.',
    access: 'snapshotter',
    audit: 'api_key_created',
    params: ServiceAccountPath,
    body: ApiKeyPost,
    returns: CreatedApiKey,
    creates: true,
    fails: [400, 403, 404, 409, 422],
    example: { body: { description: 'build server', expires_at: 4_102_444_800 } },
  },
  async (request, deps) => {
    const { body, now } = request
    const made = await changeAccountKeys(request, deps, ring => addKey(ring, body, now, deps), {
      answersSecret: true,
    })
    return new Answer(201, made)
  },
)
