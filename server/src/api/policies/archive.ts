// PUT /policies/{org}/{name}/archive: removes the policy from the list and prevents attaching it. Its versions stay,
// and a PUT of the policy restores it.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import { OK, Ok } from '../shared/wire.ts'
import { stillConsumed } from './problems.ts'
import * as store from './store.ts'
import { PolicyPath } from './wire.ts'

export const archivePolicy = defineOperation(
  {
    id: 'archivePolicy',
    method: 'PUT',
    path: '/policies/{org}/{name}/archive',
    tag: 'Policies',
    summary: 'Archive a policy',
    description:
      'Rejected while the policy is attached to an environment. Archiving it again changes nothing. Unarchive it to restore ' +
      'it as it was, or PUT it to restore it with new content.',
    access: 'admin',
    audit: 'policy_archived',
    params: PolicyPath,
    returns: Ok,
    fails: [403, 404, 409],
    example: { params: { name: 'policy-to-archive' } },
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const policy = await store.lockPolicy(tx, org.org_id, params.name)
      if (!policy) throw noSuchPolicy(params.name, org.name)
      if (policy.archived_at) return OK
      // A separate statement after the lock: every earlier attach has committed, and no new one can start.
      const environments = await store.listConsumers(tx, org.org_id, policy.policy_id)
      if (environments.length > 0) throw stillConsumed(policy.name, environments)
      await store.archivePolicy(tx, org.org_id, policy.policy_id, now)
      const data = { policy_name: policy.name, version: policy.latest_version }
      await recordEvent(tx, request, ids, { kind: 'policy_archived', policy_id: policy.policy_id, data })
      return OK
    })
  },
)
