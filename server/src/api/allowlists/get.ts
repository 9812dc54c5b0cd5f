// GET /allowlists/{org}/{env_name}: the allow-list of one environment.
import { requireEnvironment } from '../environments/problems.ts'
import { defineOperation } from '../operation.ts'
import * as store from './store.ts'
import { AllowList, AllowListPath, AllowListQuery, toWire } from './wire.ts'

export const getAllowList = defineOperation(
  {
    id: 'getAllowList',
    method: 'GET',
    path: '/allowlists/{org}/{env_name}',
    tag: 'Allow-lists',
    summary: 'Get the allow-list of an environment',
    description: 'Sorted by artifact name. By default only active entries are listed.',
    access: 'reader',
    audit: 'none: reads',
    params: AllowListPath,
    query: AllowListQuery,
    returns: AllowList,
    fails: [400, 403, 404],
    example: { query: { include_ended: 'true' } },
  },
  ({ params, query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { environment_id } = await requireEnvironment(tx, org, params.env_name, query.archived)
      const filter = { environment_id, include_ended: query.include_ended ?? false, now }
      const rows = await store.listEntries(tx, org.org_id, filter)
      return rows.map(row => toWire(row, org.name, now))
    }),
)
