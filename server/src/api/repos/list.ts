// GET /repos/{org}: the repositories that reports have named, by name, a page at a time.
import { OrgPath } from '../flows/wire.ts'
import { operation } from '../operation.ts'
import { linkedEnvelope, linkedPageOf, sliceOf } from '../shared/page.ts'
import { tagFilterOf } from '../shared/tag-filter.ts'
import * as store from './store.ts'
import { RepoListQuery, RepoPage, toWire } from './wire.ts'

export const listRepos = operation(
  {
    id: 'listRepos',
    method: 'GET',
    path: '/repos/{org}',
    tag: 'Repos',
    summary: 'List repositories',
    description: 'Repositories come into being through the `repo_info` of trails, artifacts and attestations',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: RepoListQuery,
    returns: RepoPage,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', search: 'backend', provider: 'github' } },
  },
  async ({ query, org, url }, { db }) => {
    const page = linkedPageOf(query)
    const filter = {
      // Clients send a filter that nobody set as an empty text.
      name: query.name || null,
      search: query.search || null,
      provider: query.provider ?? null,
      external_id: query.repo_id || null,
      ...tagFilterOf(query.tag ?? []),
    }
    const order = { ...sliceOf(page), descending: query.sort_direction === 'desc' }
    const { rows, total } = await db.inTransaction({ org_id: org.org_id }, tx =>
      store.listRepos(tx, org.org_id, filter, order),
    )
    return { repos: rows.map(toWire), ...linkedEnvelope(url, query, page, total) }
  },
)
