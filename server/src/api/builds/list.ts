// GET /builds/{org}: builds, newest first, each artifact once.

import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { MAX_DAYS, readBuildPeriod, resolveRepoIds } from './filter.ts'
import * as store from './store.ts'
import { BuildListQuery, BuildPage, toWire } from './wire.ts'

export const listBuilds = defineOperation(
  {
    id: 'listBuilds',
    method: 'GET',
    path: '/builds/{org}',
    tag: 'Artifacts',
    summary: 'List builds, newest first',
    description: `For at most ${MAX_DAYS} days. An artifact that is reported again is listed once, as first reported`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: BuildListQuery,
    returns: BuildPage,
    fails: [400, 403, 404],
    example: { query: { page: '1', per_page: '15' } },
  },
  ({ query, org, now, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const period = readBuildPeriod(query, now)
      const page = readLinkedPageRequest(query)
      const filter = { ...period, repo_ids: await resolveRepoIds(tx, org.org_id, query) }
      const { rows, total } = await store.listBuilds(tx, org.org_id, filter, toSlice(page))
      const site = { base_url, org: org.name }
      return { builds: rows.map(row => toWire(row, site)), ...buildLinkedEnvelope(url, query, page, total) }
    }),
)
