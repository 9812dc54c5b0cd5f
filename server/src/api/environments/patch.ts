// PATCH /environments/{org}/{env_name}: changes single fields; an empty description clears it.
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { changeEnvironment, lockIncluded } from './change.ts'
import { requireEnvironment, requireLockedEnvironment } from './problems.ts'
import { EnvironmentPatch, EnvironmentPath } from './wire.ts'

export const patchEnvironment = defineOperation(
  {
    id: 'patchEnvironment',
    method: 'PATCH',
    path: '/environments/{org}/{env_name}',
    tag: 'Environments',
    summary: 'Change fields of an environment',
    description: 'Omitted fields keep their values. An empty description clears it.',
    access: 'snapshotter',
    audit: ['environment_updated', 'environment_members_changed', 'policy_attached', 'policy_detached'],
    params: EnvironmentPath,
    body: EnvironmentPatch,
    returns: Ok,
    fails: [400, 403, 404],
    example: { body: { description: 'The cluster that customers use' } },
  },
  (request, deps) => {
    const { params, body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      // The type never changes, so it can be read before the environment is locked.
      const found = await requireEnvironment(tx, org, params.env_name)
      const members = await lockIncluded(tx, org, found, body)
      const before = await requireLockedEnvironment(tx, org, params.env_name)
      await changeEnvironment(tx, request, deps, before, { ...body, members })
      return OK
    })
  },
)
