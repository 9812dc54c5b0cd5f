// GET /search/{org}/commit/{sha}/trails: the trails that report a commit, newest first, across all flows.
import { defineOperation } from '../operation.ts'
import { EXAMPLE_COMMIT } from '../shared/examples.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { findTrailsOfCommit } from './store.ts'
import { CommitPath, CommitTrails, CommitTrailsQuery, toTrail } from './wire.ts'

export const searchCommitTrails = defineOperation(
  {
    id: 'searchCommitTrails',
    method: 'GET',
    path: '/search/{org}/commit/{sha}/trails',
    tag: 'Search',
    summary: 'Find the trails that report a commit',
    description:
      'A trail reports its own commit and those that its artifacts were built from. The commit may be a prefix of at least ' +
      'five characters.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: CommitPath,
    query: CommitTrailsQuery,
    returns: CommitTrails,
    fails: [400, 403],
    example: {
      params: { sha: EXAMPLE_COMMIT },
      query: { page: '1', per_page: '15' },
    },
  },
  async ({ params, query, org, url }, { db, base_url }) => {
    const page = readLinkedPageRequest(query)
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      findTrailsOfCommit(tx, org.org_id, params.sha.toLowerCase(), toSlice(page)),
    )
    const site = { base_url, org: org.name }
    return {
      trails: rows.map(row => toTrail(row, site)),
      ...buildLinkedEnvelope(url, query, page, total),
    }
  },
)
