// PUT /environments/{org}/{env_name}/unarchive: restores an archived environment as it was.

import { evaluateEnvironment } from '../../evaluation/evaluate-environment.ts'
import { buildMembersRequest, takeLogicalSnapshots } from '../../evaluation/logical-snapshot.ts'
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { LOGICAL } from './members/change.ts'
import { noSuchEnvironment } from './problems.ts'
import * as store from './store.ts'
import { EnvironmentPath } from './wire.ts'

export const unarchiveEnvironment = defineOperation(
  {
    id: 'unarchiveEnvironment',
    method: 'PUT',
    path: '/environments/{org}/{env_name}/unarchive',
    tag: 'Environments',
    summary: 'Unarchive an environment',
    description:
      'Restores its policies, tags and history, and evaluates it at once. Logical environments and notifications do ' +
      'not include it again. Changes nothing if the environment is not archived.',
    access: 'member',
    audit: 'environment_unarchived',
    params: EnvironmentPath,
    returns: Ok,
    fails: [403, 404],
  },
  (request, deps) => {
    const { db, ids } = deps
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment = await store.lockEnvironment(tx, org.org_id, params.env_name)
      if (!environment) throw noSuchEnvironment(params.env_name, org.name)
      if (!environment.archived_at) return OK
      const { environment_id, name: environment_name, type } = environment
      await store.unarchiveEnvironment(tx, org.org_id, environment_id, now)
      const data = { environment_name }
      await recordEvent(tx, request, ids, { kind: 'environment_unarchived', environment_id, data })
      // While it was archived, it was not evaluated and its members kept changing.
      if (type === LOGICAL) await takeLogicalSnapshots(tx, request, ids, buildMembersRequest(environment_id))
      else await evaluateEnvironment(tx, request, deps, { environment_id, cause: 'evidence' })
      return OK
    })
  },
)
