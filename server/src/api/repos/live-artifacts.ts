// GET /repos/{org}/live-artifacts/{repo_name+}: the running artifacts of a repository, and where they run.
import { defineOperation } from '../operation.ts'
import { requireRepo } from './get.ts'
import { listLiveArtifacts } from './live-store.ts'
import { RepoLiveStatus, toWire } from './live-wire.ts'
import { RepoPath, RepoQuery } from './wire.ts'

export const getRepoLiveArtifacts = defineOperation(
  {
    id: 'getRepoLiveArtifacts',
    method: 'GET',
    path: '/repos/{org}/live-artifacts/{repo_name+}',
    tag: 'Repos',
    summary: 'Get the running artifacts of a repository',
    description:
      'Covers environments that are not archived. Several repositories may have the same name: use `provider` to select the ' +
      'host, or `id` to select one.',
    access: 'reader',
    audit: 'none: reads',
    params: RepoPath,
    query: RepoQuery,
    returns: RepoLiveStatus,
    fails: [400, 403, 404],
    example: { params: { repo_name: 'acme/backend' }, query: { provider: 'github' } },
  },
  async ({ params, query, org, url }, { db, base_url }) => {
    const { repo_id } = await requireRepo(db, org.org_id, params, query)
    const rows = await listLiveArtifacts(db, org.org_id, repo_id)
    return toWire(rows, { base_url, org: org.name, url })
  },
)
