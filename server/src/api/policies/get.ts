// GET /policies/{org}/{name}: one policy with all its versions, even if it is archived.
import { defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import * as store from './store.ts'
import { Policy, PolicyPath, toWire } from './wire.ts'

export const getPolicy = defineOperation(
  {
    id: 'getPolicy',
    method: 'GET',
    path: '/policies/{org}/{name}',
    tag: 'Policies',
    summary: 'Get a policy',
    description: 'Returns archived policies too.',
    access: 'reader',
    audit: 'none: reads',
    params: PolicyPath,
    query: ArchivedQuery,
    returns: Policy,
    fails: [400, 403, 404],
    example: { params: { name: 'policy-to-read' } },
  },
  async ({ params, org }, { db, base_url }) => {
    const policy = await store.findPolicy(db, org.org_id, params.name)
    if (!policy) throw noSuchPolicy(params.name, org.name)
    return toWire(policy, { base_url, org: org.name })
  },
)
