// GET /approvals/{org}/{flow_name}/artifact-commit/{env_name}: the commit after which the next approval starts.
import { noSuchFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { DEPRECATED } from './problems.ts'
import { findApprovedCommit } from './store.ts'
import { ApprovedCommitPath, ApprovedCommitSha } from './wire.ts'

export const getApprovedCommit = defineOperation(
  {
    id: 'getApprovedCommit',
    method: 'GET',
    path: '/approvals/{org}/{flow_name}/artifact-commit/{env_name}',
    tag: 'Approvals',
    summary: 'Get the commit of the newest artifact that was approved for an environment',
    description: 'Null when no artifact was approved, or when its report named no commit',
    access: 'reader',
    audit: 'none: reads',
    params: ApprovedCommitPath,
    returns: ApprovedCommitSha,
    fails: [403, 404],
    deprecated: DEPRECATED,
  },
  async ({ params, org }, { db }) => {
    const { flow_id, commit_sha } = await findApprovedCommit(db, org.org_id, {
      flow_name: params.flow_name,
      env_name: params.env_name,
    })
    if (flow_id === null) throw noSuchFlow(params.flow_name, org.name)
    return { commit_sha }
  },
)
