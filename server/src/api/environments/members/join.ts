// PUT /environments/{org}/{env_name}/join: adds a member to a logical environment. Adding it again changes nothing.

import { assert } from '../../../lib/assert.ts'
import { invalid } from '../../../lib/errors.ts'
import { defineOperation } from '../../operation.ts'
import { OK, Ok } from '../../shared/wire.ts'
import { requireEnvironment, requireLockedEnvironment } from '../problems.ts'
import { EnvironmentJoin, EnvironmentPath } from '../wire.ts'
import { LOGICAL, lockMembers, recordMemberChanges } from './change.ts'
import { addMember } from './store.ts'

export const joinEnvironment = defineOperation(
  {
    id: 'joinEnvironment',
    method: 'PUT',
    path: '/environments/{org}/{env_name}/join',
    tag: 'Environments',
    summary: 'Include an environment in a logical one',
    access: 'member',
    audit: 'environment_members_changed',
    params: EnvironmentPath,
    body: EnvironmentJoin,
    returns: Ok,
    fails: [400, 403, 404],
    example: { body: { physical_env_name: 'production' } },
  },
  (request, { db, ids }) => {
    const { params, body, org } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { name, type } = await requireEnvironment(tx, org, params.env_name)
      if (type !== LOGICAL) {
        throw invalid({
          env_name: `Only a logical environment includes others; '${name}' is of type '${type}'`,
        })
      }
      const [member] = await lockMembers(tx, org, [body.physical_env_name], () => 'physical_env_name')
      assert(member, 'one name, one environment')
      const logical = await requireLockedEnvironment(tx, org, params.env_name)
      const { environment_id } = logical
      if (await addMember(tx, org.org_id, environment_id, member.environment_id)) {
        await recordMemberChanges(tx, request, ids, [logical], { added: [member.name], removed: [] })
      }
      return OK
    })
  },
)
