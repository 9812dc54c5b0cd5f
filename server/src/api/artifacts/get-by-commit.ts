// GET /artifacts/{org}/{flow_name}/commit_sha/{sha}: the artifacts built from a commit, newest first.
import { notFound } from '../../lib/errors.ts'
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { readWithHistory } from './read.ts'
import { listArtifactsByCommit } from './store.ts'
import { ArtifactByCommitPath, ArtifactList, ArtifactQuery } from './wire.ts'

export const getArtifactsByCommit = defineOperation(
  {
    id: 'getArtifactsByCommit',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/commit_sha/{sha}',
    tag: 'Artifacts',
    summary: 'Get the artifacts built from a commit',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: ArtifactByCommitPath,
    query: ArtifactQuery,
    returns: ArtifactList,
    fails: [400, 403, 404],
    example: { params: { sha: '4f2c1d0b' } },
  },
  ({ params, query, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, sha } = params
      const [, rows] = await Promise.all([
        requireFlow(tx, org, flow_name, query.archived),
        listArtifactsByCommit(tx, org.org_id, { flow_name, prefix: sha }),
      ])
      const requested = query.trail ? rows.filter(row => row.trail_name === query.trail) : rows
      if (requested.length === 0) {
        throw notFound(
          `Artifact with commit '${sha}' does not exist in flow '${flow_name}' belonging to organization '${org.name}'`,
        )
      }
      return readWithHistory(tx, requested, org, base_url)
    }),
)
