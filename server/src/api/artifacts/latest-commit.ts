// GET /artifacts/{org}/{flow_name}/{fingerprint}/latest_commit: the commit since which a build lists its changes.
import { requireActiveFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import { findLatestCommit } from './store.ts'
import { LatestCommit, LatestCommitPath, LatestCommitQuery } from './wire.ts'

export const getLatestCommit = defineOperation(
  {
    id: 'getLatestCommit',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/{fingerprint}/latest_commit',
    tag: 'Artifacts',
    summary: 'Get the commit of the newest other artifact of a flow',
    description:
      'The artifact itself does not have to be reported yet: pipelines call this before they report it',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: LatestCommitPath,
    query: LatestCommitQuery,
    returns: LatestCommit,
    fails: [403, 404],
    example: { params: { fingerprint: EXAMPLE_FINGERPRINT } },
  },
  async ({ params, query, org }, { db }) => {
    const { flow_name, fingerprint } = params
    const found = await findLatestCommit(db, org.org_id, {
      flow_name,
      fingerprint,
      branch: query.branch ?? null,
    })
    requireActiveFlow(found.flow_id === null ? undefined : found, org.name, flow_name, query.archived)
    return { latest_commit: found.git_commit }
  },
)
