// POST /service-accounts/{org}/{name}/api-keys/{key_id}/rotate: creates a new key; the old one expires after a grace
// period.

import { rotateKey } from '../keys/key-ring.ts'
import { rotationFailed } from '../keys/problems.ts'
import { ApiKeyRotate, RotatedApiKey } from '../keys/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
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
      '`grace_period_expires_at`, and cannot be rotated again (409). The secret is only in this response: a retry with the same ' +
      '`Idempotency-Key` creates nothing and gets 409. A rotation is atomic.',
    access: 'snapshotter',
    recheck_caller: true,
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
      const rotated = await changeAccountKeys(
        request,
        deps,
        (ring, bounds) => rotateKey(ring, params.key_id, body, bounds, deps),
        { returnsSecret: true },
      )
      return new Answer(201, rotated)
    } catch (error) {
      throw rotationFailed(error)
    }
  },
)
