// PUT /policies/{org}/{name}/unarchive: restores the policy with its versions, without attaching it.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import { OK, Ok } from '../shared/wire.ts'
import * as store from './store.ts'
import { PolicyPath } from './wire.ts'

export const unarchivePolicy = defineOperation(
  {
    id: 'unarchivePolicy',
    method: 'PUT',
    path: '/policies/{org}/{name}/unarchive',
    tag: 'Policies',
    summary: 'Unarchive a policy',
    description: 'It can be attached again. Does nothing if the policy is not archived.',
    access: 'admin',
    audit: 'policy_unarchived',
    params: PolicyPath,
    returns: Ok,
    fails: [403, 404],
    example: { params: { name: 'policy-to-unarchive' } },
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const policy = await store.lockPolicy(tx, org.org_id, params.name)
      if (!policy) throw noSuchPolicy(params.name, org.name)
      if (!policy.archived_at) return OK
      const { policy_id, name: policy_name, description, latest_version } = policy
      await store.updatePolicy(tx, org.org_id, { policy_id, description, latest_version, now })
      const data = { policy_name, version: latest_version }
      await recordEvent(tx, request, ids, { kind: 'policy_unarchived', policy_id, data })
      return OK
    })
  },
)
