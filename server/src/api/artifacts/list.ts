// GET /artifacts/{org}: the org's artifacts, newest first; of one flow or one repository when asked.

import type { Db } from '../../db/database.ts'
import { requireFlow } from '../flows/problems.ts'
import { OrgPath } from '../flows/wire.ts'
import { operation } from '../operation.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { repoIdByName } from '../repos/store.ts'
import { pageOf, sliceOf } from '../shared/page.ts'
import { listArtifacts as readPage } from './list-store.ts'
import { withHistory } from './read.ts'
import { ArtifactList, ArtifactListQuery } from './wire.ts'

const USUAL_PER_PAGE = 15

export const listArtifacts = operation(
  {
    id: 'listArtifacts',
    method: 'GET',
    path: '/artifacts/{org}',
    tag: 'Artifacts',
    summary: 'List artifacts, newest first',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: ArtifactListQuery,
    returns: ArtifactList,
    fails: [400, 403, 404],
    example: { query: { page: '1', per_page: '15', search_by_name: 'payments-api' } },
  },
  ({ query, org }, { db, base_url }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const archived = query.archived ?? false
      const page = pageOf(query, USUAL_PER_PAGE) ?? { page: 1, per_page: USUAL_PER_PAGE }
      const flow_id =
        query.flow_name === undefined ? null : await requireFlow(tx, org, query.flow_name, archived)
      const repo_id = query.repo_name ? await requireRepo(tx, org.org_id, query.repo_name) : null
      const { search_by_name } = query
      const rows = await readPage(
        tx,
        org.org_id,
        { archived, flow_id, repo_id, search_by_name },
        sliceOf(page),
      )
      return withHistory(tx, rows, org, base_url)
    }),
)

/** The newest repository of the name, for hosts give ids and not names; or the refusal. */
export async function requireRepo(tx: Db, org_id: string, repo_name: string): Promise<string> {
  const repo_id = await repoIdByName(tx, org_id, repo_name)
  if (repo_id === undefined) throw noSuchRepo(repo_name)
  return repo_id
}
