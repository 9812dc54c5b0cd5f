// GET /artifacts/{org}/{flow_name}/commit_sha/{sha}: every artifact built from a commit, newest first.
import { notFound } from '../../lib/errors.ts'
import { requireFlow } from '../flows/problems.ts'
import { operation } from '../operation.ts'
import { withHistory } from './read.ts'
import { findByCommit } from './store.ts'
import { ArtifactByCommitPath, ArtifactList, ArtifactQuery } from './wire.ts'

export const getArtifactsByCommit = operation(
  {
    id: 'getArtifactsByCommit',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/commit_sha/{sha}',
    tag: 'Artifacts',
    summary: 'Get the artifacts built from a commit',
    access: 'reader',
    visitors: true,
    audit: 'none: reads',
    params: ArtifactByCommitPath,
    query: ArtifactQuery,
    returns: ArtifactList,
    fails: [400, 403, 404],
    example: { params: { sha: '4f2c1d0b' } },
  },
  ({ params, query, org }, { db, base_url }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, sha } = params
      const [, rows] = await Promise.all([
        requireFlow(tx, org, flow_name, query.archived),
        findByCommit(tx, org.org_id, { flow_name, prefix: sha }),
      ])
      const wanted = query.trail ? rows.filter(row => row.trail_name === query.trail) : rows
      if (wanted.length === 0) {
        throw notFound(
          `Artifact with commit '${sha}' does not exist in flow '${flow_name}' belonging to organization '${org.name}'`,
        )
      }
      return withHistory(tx, wanted, org, base_url)
    }),
)
