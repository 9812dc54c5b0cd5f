// GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_package: the audit package of an artifact.
import { ArtifactByFingerprintPath } from '../artifacts/wire.ts'
import { Binary, defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { readArtifactContent } from './content.ts'
import { buildAuditPackage } from './sealed-package.ts'

export const getArtifactPackage = defineOperation(
  {
    id: 'getArtifactPackage',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of an artifact',
    access: 'reader',
    visitors: 'public_read',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: ArtifactByFingerprintPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80' } },
  },
  async (request, deps) => buildAuditPackage(await readArtifactContent(request, deps), request, deps),
)
