// POST /user/api-keys/{key_id}/rotate: replaces a key of the caller. The old key expires after a grace period.
import { Answer, defineOperation } from '../operation.ts'
import { rotateKey } from './key-ring.ts'
import { changeOwnKeys } from './own.ts'
import { rotationFailed } from './problems.ts'
import { ApiKeyRotate, OwnKeyPath, RotatedApiKey } from './wire.ts'

export const rotatePersonalApiKey = defineOperation(
  {
    id: 'rotatePersonalApiKey',
    method: 'POST',
    path: '/user/api-keys/{key_id}/rotate',
    tag: 'User',
    summary: 'Rotate an API key of the caller',
    description:
      'The new key has the description of the old one, and its expiry unless another is given. The old key works until ' +
      '`grace_period_expires_at` and cannot be rotated again (409). The response contains the secret, which is never shown ' +
      'again: a retry with the same `Idempotency-Key` creates nothing and returns 409. A rotation is atomic.',
    access: 'user',
    recheck_caller: true,
    audit: 'api_key_rotated',
    params: OwnKeyPath,
    body: ApiKeyRotate,
    returns: RotatedApiKey,
    creates: true,
    fails: [400, 403, 404, 409, 422],
    example: { body: { grace_period_hours: 1 } },
  },
  async (request, deps) => {
    const { params, body, caller, now } = request
    const bounds = { now, caller, max_lifetime_days: null }
    try {
      const created = await changeOwnKeys(
        request,
        deps,
        ring => rotateKey(ring, params.key_id, body, bounds, deps),
        { answersSecret: true },
      )
      return new Answer(201, created)
    } catch (error) {
      throw rotationFailed(error)
    }
  },
)
