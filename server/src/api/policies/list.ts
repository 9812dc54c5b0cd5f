// GET /policies/{org}: every policy of the org with its versions.
import { operation } from '../operation.ts'
import * as store from './store.ts'
import { PoliciesPath, PolicyList, toWire } from './wire.ts'

export const listPolicies = operation(
  {
    id: 'listPolicies',
    method: 'GET',
    path: '/policies/{org}',
    tag: 'Policies',
    summary: 'List policies',
    description: 'By name, with all versions. Archived policies are left out.',
    access: 'reader',
    audit: 'none: reads',
    params: PoliciesPath,
    returns: PolicyList,
    fails: [403],
  },
  async ({ org }, { db, base_url }) => {
    const rows = await store.listPolicies(db, org.org_id)
    return rows.map(row => toWire(row, { base_url, org: org.name }))
  },
)
