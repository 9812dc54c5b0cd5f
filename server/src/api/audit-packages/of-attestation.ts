// GET /attestations/{org}/attestation/{attestation_id}/audit_package: the audit package of an attestation.
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { findAttestation } from '../attestations/store.ts'
import { Binary, defineOperation } from '../operation.ts'
import { AttestationId, OrgName } from '../shared/fields.ts'
import { Closed } from '../shared/wire.ts'
import { buildAuditPackage } from './sealed-package.ts'

const AttestationPath = Closed('AttestationPath', { org: OrgName, attestation_id: AttestationId })

export const getAttestationPackage = defineOperation(
  {
    id: 'getAttestationPackage',
    method: 'GET',
    path: '/attestations/{org}/attestation/{attestation_id}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of an attestation',
    access: 'reader',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: AttestationPath,
    returns: Binary,
    download: 'application/gzip',
    fails: [403, 404],
  },
  async (request, deps) => {
    const { params, org, now } = request
    const id = parseWireId(params.attestation_id)
    const row = id && (await findAttestation(deps.db, org.org_id, id))
    if (!row)
      throw notFound(`Attestation '${params.attestation_id}' does not exist in organization '${org.name}'`)
    const content = {
      name: `${row.attestation_name}-${params.attestation_id}`,
      title: `Attestation ${row.attestation_name}`,
      facts: [
        ['Organization', org.name] as const,
        ['Flow and trail', `${row.flow_name} / ${row.trail_name}`] as const,
        ['Verdict', row.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT'] as const,
        ['Generated at', now.toISOString()] as const,
      ],
      asked: { scope: 'attestation', subject: params.attestation_id, from: null, to: null },
      records: {},
      attestations: [row],
    }
    return buildAuditPackage(content, request, deps)
  },
)
