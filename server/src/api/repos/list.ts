// GET /repos/{org}: the repositories that reports have named, sorted by name, paged.

import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { parseTagFilter } from '../shared/tag-filter.ts'
import * as store from './store.ts'
import { RepoListQuery, RepoPage, toWire } from './wire.ts'

export const listRepos = defineOperation(
  {
    id: 'listRepos',
    method: 'GET',
    path: '/repos/{org}',
    tag: 'Repos',
    summary: 'List repositories',
    description: 'Repositories are created from the `repo_info` of trails, artifacts and attestations.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: RepoListQuery,
    returns: RepoPage,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', search: 'backend', provider: 'github' } },
  },
  async ({ query, org, url }, { db }) => {
    const page = readLinkedPageRequest(query)
    const filter = {
      // Clients send unset filters as empty strings.
      name: query.name || null,
      search: query.search || null,
      provider: query.provider ?? null,
      external_id: query.repo_id || null,
      ...parseTagFilter(query.tag ?? []),
    }
    const order = { ...toSlice(page), descending: query.sort_direction === 'desc' }
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      store.listRepos(tx, org.org_id, filter, order),
    )
    return { repos: rows.map(toWire), ...buildLinkedEnvelope(url, query, page, total) }
  },
)
