// POST /environments/{org}/{env_name}/policies: attaches policies and evaluates the environment at once.
import { defineOperation } from '../../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../../shared/idempotency.ts'
import { claimKey } from '../../shared/idempotency-store.ts'
import { OK, Ok } from '../../shared/wire.ts'
import { requireLockedEnvironment } from '../problems.ts'
import { EnvironmentPath } from '../wire.ts'
import { addPolicies, refuseLogical } from './set.ts'
import { EnvironmentPolicies } from './wire.ts'

export const attachPolicies = defineOperation(
  {
    id: 'attachPolicies',
    method: 'POST',
    path: '/environments/{org}/{env_name}/policies',
    tag: 'Environments',
    summary: 'Attach policies to an environment',
    description:
      'The running artifacts are evaluated again at once. Attaching a policy that is already attached changes ' +
      'nothing. A logical environment has no policies of its own.',
    access: 'member',
    audit: 'policy_attached',
    params: EnvironmentPath,
    body: EnvironmentPolicies,
    returns: Ok,
    fails: [400, 403, 404, 422],
    example: { body: { policy_names: ['policy-to-attach'] } },
  },
  (request, deps) => {
    const { params, body, org } = request
    const idempotency = buildIdempotencyClaim(request)
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, request.now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) return OK
      const environment = await requireLockedEnvironment(tx, org, params.env_name)
      refuseLogical(environment)
      await addPolicies(tx, request, deps, environment, body.policy_names)
      return OK
    })
  },
)
