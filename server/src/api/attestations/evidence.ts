// GET …/trail/{trail_name}/attestation/{attestation_id}/evidence: the attachment of an attestation, verified on read.
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { Binary, Download, defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { findAttestation } from './store.ts'
import { EvidencePath } from './wire.ts'

export const getEvidence = defineOperation(
  {
    id: 'getEvidence',
    method: 'GET',
    path: '/attestations/{org}/{flow_name}/trail/{trail_name}/attestation/{attestation_id}/evidence',
    tag: 'Attestations',
    summary: 'Download the evidence that was attached to an attestation',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: EvidencePath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/octet-stream',
    fails: [400, 403, 404],
  },
  async ({ params, org }, { db, evidence }) => {
    const id = parseWireId(params.attestation_id)
    const found = id && (await findAttestation(db, org.org_id, id))
    const isHere = found && found.flow_name === params.flow_name && found.trail_name === params.trail_name
    if (!isHere || found.evidence_sha256 === null) {
      throw notFound(`Attestation '${params.attestation_id}' has no evidence in trail '${params.trail_name}'`)
    }
    const stored = await evidence.open(org.org_id, found.evidence_sha256)
    if (!stored)
      throw notFound(
        `The evidence of attestation '${params.attestation_id}' is missing from the evidence store`,
      )
    return new Download(found.evidence_name ?? 'evidence', stored.content, stored.bytes)
  },
)
