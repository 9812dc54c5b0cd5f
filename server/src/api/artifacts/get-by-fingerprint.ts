// GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}: one artifact, by its fingerprint or a prefix of it.
import { Type } from 'typebox'
import { notFound } from '../../lib/errors.ts'
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { readAttestationId } from '../shared/attestation-id.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { ambiguousFingerprint } from '../shared/fingerprints.ts'
import { about, Closed } from '../shared/wire.ts'
import { readWithHistory } from './read.ts'
import { listArtifactsByFingerprint } from './store.ts'
import { Artifact, ArtifactByFingerprintPath, ArtifactQuery } from './wire.ts'

const ArtifactByFingerprintQuery = Closed('ArtifactByFingerprintQuery', {
  ...ArtifactQuery.properties,
  attestation_id: Type.Optional(
    Type.String(
      about(
        'Only the report with this id, or the one that the attestation with this id is about',
        EXAMPLE_ID,
      ),
    ),
  ),
})

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
    query: ArtifactByFingerprintQuery,
    returns: Artifact,
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80' } },
  },
  ({ params, query, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, fingerprint: prefix } = params
      const attestation_id = readAttestationId(query)
      const filter = { flow_name, prefix, trail_name: query.trail || null, attestation_id }
      const [, rows] = await Promise.all([
        requireFlow(tx, org, flow_name, query.archived),
        listArtifactsByFingerprint(tx, org.org_id, filter),
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
