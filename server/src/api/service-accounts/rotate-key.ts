// POST /service-accounts/{org}/{name}/api-keys/{key_id}/rotate: a new key takes the place of one, which ends a little
// later.
import { rotationFailed } from '../keys/problems.ts'
import { ApiKeyRotate, RotatedApiKey } from '../keys/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { rotateKey } from '../shared/key-ring.ts'
import { changeAccountKeys } from './keys.ts'
import { ServiceAccountKeyPath } from './wire.ts'

export const rotateServiceAccountKey = defineOperation(
  {
    id: 'rotateServiceAccountApiKey',
    method: 'POST',
    path: '/service-accounts/{org}/{name}/api-keys/{key_id}/rotate',
    tag: 'Service accounts',
    summary: 'Rotate an API key of a service account',
    description:
      'The new key has the description of the old one, and its expiry unless another is given. The old key works until ' +
      '`grace_period_expires_at`, and cannot be rotated again. The secret is in the answer and never shown again: a ' +
      'retry with the same `Idempotency-Key` makes nothing and answers 409. A rotation is done whole or not at all.',
    access: 'snapshotter',
    audit: 'api_key_rotated',
    params: ServiceAccountKeyPath,
    body: ApiKeyRotate,
    returns: RotatedApiKey,
    creates: true,
    fails: [400, 403, 404, 409, 422],
    example: { body: { grace_period_hours: 1 } },
  },
  async (request, deps) => {
    const { params, body } = request
    try {
      const made = await changeAccountKeys(
        request,
        deps,
        (ring, bounds) => rotateKey(ring, params.key_id, body, bounds, deps),
        { answersSecret: true },
      )
      return new Answer(201, made)
    } catch (error) {
      throw rotationFailed(error)
    }
  },
)
