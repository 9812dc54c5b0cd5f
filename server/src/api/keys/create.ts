// POST /user/api-keys: creates a key of the caller.
import { Answer, defineOperation } from '../operation.ts'
import { addKey } from './key-ring.ts'
import { changeOwnKeys } from './own.ts'
import { ApiKeyPost, CreatedApiKey } from './wire.ts'

export const createPersonalApiKey = defineOperation(
  {
    id: 'createPersonalApiKey',
    method: 'POST',
    path: '/user/api-keys',
    tag: 'User',
    summary: 'Create an API key of the caller',
    description:
      'The response contains the secret, which is never shown again: a retry with the same `Idempotency-Key` creates ' +
      'nothing and returns 409. The key has the role of its owner in each of their organizations. A key that is ' +
      'created with another key expires no later than that key and may do no more.',
    access: 'user',
    recheck_caller: true,
    audit: 'api_key_created',
    body: ApiKeyPost,
    returns: CreatedApiKey,
    creates: true,
    fails: [400, 403, 409, 422],
    example: { body: { description: 'laptop', expires_at: 4_102_444_800 } },
  },
  async (request, deps) => {
    const { body, caller, now } = request
    const sent = { ...request, params: null }
    const bounds = { now, caller, max_lifetime_days: null }
    const created = await changeOwnKeys(sent, deps, ring => addKey(ring, body, bounds, deps), {
      answersSecret: true,
    })
    return new Answer(201, created)
  },
)
