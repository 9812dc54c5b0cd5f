// GET /attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}: the attestations of an artifact with a name.
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { listArtifactAttestations } from './store.ts'
import { AttestationList, AttestationsOfArtifactPath, toWire } from './wire.ts'

export const listAttestationsOfArtifact = defineOperation(
  {
    id: 'listAttestationsOfArtifact',
    method: 'GET',
    path: '/attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}',
    tag: 'Attestations',
    summary: 'List the attestations with a name for an artifact',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: AttestationsOfArtifactPath,
    query: ArchivedQuery,
    returns: AttestationList,
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80', attestation_name: 'unit-tests' } },
  },
  ({ params, query, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, fingerprint: prefix, attestation_name } = params
      const flow_id = await requireFlow(tx, org, flow_name, query.archived)
      const rows = await listArtifactAttestations(tx, org.org_id, { flow_id, prefix, attestation_name })
      return rows.map(row => toWire(row, { base_url, org: org.name, org_id: org.org_id }))
    }),
)
