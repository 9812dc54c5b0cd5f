// PUT /policies/{org}/{name}/archive: removes the policy from the list and prevents attaching it. Its versions stay.
// PUT /policies/{org}/{name}/unarchive: restores it with its versions, without attaching it.
import { recordEvent } from '../../events/record.ts'
import { defineArchiving } from '../shared/archiving.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import { stillConsumed } from './problems.ts'
import * as store from './store.ts'
import { PolicyPath } from './wire.ts'

const POLICY = {
  path: '/policies/{org}/{name}',
  tag: 'Policies',
  access: 'admin',
  params: PolicyPath,
  lock: store.lockPolicy,
  missing: noSuchPolicy,
} as const

export const archivePolicy = defineArchiving(POLICY, {
  id: 'archivePolicy',
  verb: 'archive',
  summary: 'Archive a policy',
  description:
    'Rejected while the policy is attached to an environment. Archiving it again changes nothing. Unarchive it to restore ' +
    'it as it was, or PUT it to restore it with new content.',
  audit: 'policy_archived',
  fails: [409],
  example: { params: { name: 'policy-to-archive' } },
  change: async (tx, request, { policy_id, name: policy_name, latest_version: version }, { ids }) => {
    const { org, now } = request
    // A separate statement after the lock: every earlier attach has committed, and no new one can start.
    const environments = await store.listConsumers(tx, org.org_id, policy_id)
    if (environments.length > 0) throw stillConsumed(policy_name, environments)
    await store.archivePolicy(tx, org.org_id, policy_id, now)
    await recordEvent(tx, request, ids, {
      kind: 'policy_archived',
      policy_id,
      data: { policy_name, version },
    })
  },
})

export const unarchivePolicy = defineArchiving(POLICY, {
  id: 'unarchivePolicy',
  verb: 'unarchive',
  summary: 'Unarchive a policy',
  description: 'It can be attached again. Does nothing if the policy is not archived.',
  audit: 'policy_unarchived',
  example: { params: { name: 'policy-to-unarchive' } },
  change: async (tx, request, { policy_id, name: policy_name, description, latest_version }, { ids }) => {
    const { org, now } = request
    await store.updatePolicy(tx, org.org_id, { policy_id, description, latest_version, now })
    const data = { policy_name, version: latest_version }
    await recordEvent(tx, request, ids, { kind: 'policy_unarchived', policy_id, data })
  },
})
