// DELETE /environments/{org}/{env_name}/policies: detaches policies and evaluates the environment at once.
import { defineOperation } from '../../operation.ts'
import { OK, Ok } from '../../shared/wire.ts'
import { requireLockedEnvironment } from '../problems.ts'
import { EnvironmentPath } from '../wire.ts'
import { refuseLogical, removePolicies } from './set.ts'
import { EnvironmentPolicies } from './wire.ts'

export const detachPolicies = defineOperation(
  {
    id: 'detachPolicies',
    method: 'DELETE',
    path: '/environments/{org}/{env_name}/policies',
    tag: 'Environments',
    summary: 'Detach policies from an environment',
    description:
      'The running artifacts are evaluated again at once. Detaching a policy that is not attached changes nothing. ' +
      'The state of an environment without policies is unknown.',
    access: 'member',
    audit: 'policy_detached',
    params: EnvironmentPath,
    body: EnvironmentPolicies,
    returns: Ok,
    fails: [400, 403, 404],
    example: { body: { policy_names: ['policy-to-detach'] } },
  },
  (request, deps) => {
    const { params, body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment = await requireLockedEnvironment(tx, org, params.env_name)
      refuseLogical(environment)
      await removePolicies(tx, request, deps, environment, body.policy_names)
      return OK
    })
  },
)
