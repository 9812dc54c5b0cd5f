// GET /repos/{org}: the repositories that reports have named, sorted by name, paged.

import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { parseTagFilter } from '../shared/tag-filter.ts'
import { findActivity } from './activity-store.ts'
import * as store from './store.ts'
import { parseNamespace, RepoListQuery, RepoPage, toWireListed } from './wire.ts'

export const listRepos = defineOperation(
  {
    id: 'listRepos',
    method: 'GET',
    path: '/repos/{org}',
    tag: 'Repos',
    summary: 'List repositories',
    description:
      'Repositories are created from the `repo_info` of trails, artifacts and attestations. Each has its newest trail and ' +
      'what runs of it in environments that are not archived.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: RepoListQuery,
    returns: RepoPage,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', search: 'backend', provider: 'github' } },
  },
  async ({ query, org, now, url }, { db }) => {
    const page = readLinkedPageRequest(query)
    const filter = {
      // Clients send unset filters as empty strings.
      name: query.name || null,
      search: query.search || null,
      provider: query.provider ?? null,
      external_id: query.repo_id || null,
      vcs_instance: query.vcs_instance || null,
      namespace: parseNamespace(query.namespace),
      ...parseTagFilter(query.tag ?? []),
    }
    const order = { ...toSlice(page), descending: query.sort_direction === 'desc' }
    const { org_id } = org
    const { rows, total, activity } = await db.withTransaction({ org_id }, async tx => {
      const found = await store.listRepos(tx, org_id, filter, order)
      const repo_ids = found.rows.map(({ repo_id }) => repo_id)
      return { ...found, activity: await findActivity(tx, org_id, { repo_ids, now }) }
    })
    const repos = rows.map(row => toWireListed(row, activity.get(row.repo_id)))
    return { repos, ...buildLinkedEnvelope(url, query, page, total) }
  },
)
