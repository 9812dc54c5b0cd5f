// GET /allowlists/{org}: the allow-lists of all environments of the organization.
import { requireEnvironment } from '../environments/problems.ts'
import { defineOperation } from '../operation.ts'
import * as store from './store.ts'
import { AllowList, AllowListsPath, AllowListsQuery, toWire } from './wire.ts'

export const listAllowLists = defineOperation(
  {
    id: 'listAllowLists',
    method: 'GET',
    path: '/allowlists/{org}',
    tag: 'Allow-lists',
    summary: 'List the allow-lists of all environments',
    description:
      'Sorted by environment and artifact name. By default only active entries are listed. Archived environments are ' +
      'left out.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: AllowListsPath,
    query: AllowListsQuery,
    returns: AllowList,
    fails: [400, 403, 404],
    example: { query: { include_ended: 'true' } },
  },
  ({ query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { env_name, include_ended = false } = query
      const environment = env_name === undefined ? undefined : await requireEnvironment(tx, org, env_name)
      const filter = { environment_id: environment?.environment_id ?? null, include_ended, now }
      const rows = await store.listEntries(tx, org.org_id, filter)
      return rows.map(row => toWire(row, org.name, now))
    }),
)
