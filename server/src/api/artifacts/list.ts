// GET /artifacts/{org}: the artifacts of the organization, or of one flow or repository, newest first.

import type { Db } from '../../db/database.ts'
import { requireFlow } from '../flows/problems.ts'
import { Answer, defineOperation } from '../operation.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { findRepoIdByName } from '../repos/store.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkHeaders, LINK_HEADERS, readPageRequest, toSlice } from '../shared/page.ts'
import { listArtifacts as readPage } from './list-store.ts'
import { readWithHistory } from './read.ts'
import { ArtifactList, ArtifactListQuery } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listArtifacts = defineOperation(
  {
    id: 'listArtifacts',
    method: 'GET',
    path: '/artifacts/{org}',
    tag: 'Artifacts',
    summary: 'List artifacts, newest first',
    description: `A plain array, ${DEFAULT_PER_PAGE} per page by default. The \`Link\` header has the next page`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: ArtifactListQuery,
    returns: ArtifactList,
    fails: [400, 403, 404],
    answer_headers: LINK_HEADERS,
    example: { query: { page: '1', per_page: '15', search_by_name: 'payments-api' } },
  },
  ({ query, org, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const archived = query.archived ?? false
      const page = readPageRequest(query, DEFAULT_PER_PAGE) ?? { page: 1, per_page: DEFAULT_PER_PAGE }
      const flow_id =
        query.flow_name === undefined ? null : await requireFlow(tx, org, query.flow_name, archived)
      const repo_id = query.repo_name ? await requireRepo(tx, org.org_id, query.repo_name) : null
      const { limit, offset } = toSlice(page)
      // One extra row shows whether there is another page. Counting all artifacts would cost far more.
      const slice = { limit: limit + 1, offset }
      const found = await readPage(tx, org.org_id, { archived, flow_id, repo_id }, query, slice)
      const shown = await readWithHistory(tx, found.slice(0, limit), org, base_url)
      return new Answer(200, shown, buildLinkHeaders(url, query, page, found.length > limit))
    }),
)

/** The newest repository with the name, because names are not unique; throws 404 when there is none. */
export async function requireRepo(tx: Db, org_id: string, repo_name: string): Promise<string> {
  const repo_id = await findRepoIdByName(tx, org_id, repo_name)
  if (repo_id === undefined) throw noSuchRepo(repo_name)
  return repo_id
}
