// GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}: one artifact, by its fingerprint or a prefix of it.
import { notFound } from '../../lib/errors.ts'
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { ambiguousFingerprint } from '../shared/fingerprints.ts'
import { readWithHistory } from './read.ts'
import { listArtifactsByFingerprint } from './store.ts'
import { Artifact, ArtifactByFingerprintPath, ArtifactQuery } from './wire.ts'

export const getArtifactByFingerprint = defineOperation(
  {
    id: 'getArtifactByFingerprint',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}',
    tag: 'Artifacts',
    summary: 'Get an artifact by its fingerprint or the first characters of it',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: ArtifactByFingerprintPath,
    query: ArtifactQuery,
    returns: Artifact,
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80' } },
  },
  ({ params, query, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, fingerprint: prefix } = params
      const [, rows] = await Promise.all([
        requireFlow(tx, org, flow_name, query.archived),
        listArtifactsByFingerprint(tx, org.org_id, { flow_name, prefix, trail_name: query.trail || null }),
      ])
      const matches = new Set(rows.map(row => row.fingerprint)).size
      if (matches > 1) throw ambiguousFingerprint(prefix, matches)
      const [artifact] = await readWithHistory(tx, rows.slice(0, 1), org, base_url)
      if (!artifact) {
        throw notFound(
          `Artifact with fingerprint '${prefix}' does not exist in flow '${flow_name}' belonging to organization '${org.name}'`,
        )
      }
      return artifact
    }),
)
