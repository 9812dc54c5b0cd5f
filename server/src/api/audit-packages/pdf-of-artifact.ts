// GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_pdf: the summary of an artifact as a PDF.
import { ArtifactByFingerprintPath } from '../artifacts/wire.ts'
import { Binary, defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { readArtifactContent } from './content.ts'
import { buildAuditPdf } from './package.ts'

export const getArtifactPdf = defineOperation(
  {
    id: 'getArtifactPdf',
    method: 'GET',
    path: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_pdf',
    tag: 'Audit packages',
    summary: 'Download the summary of an artifact as a PDF',
    description: 'The same facts as `summary.html` in the audit package of the artifact',
    access: 'reader',
    visitors: 'public_read',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: ArtifactByFingerprintPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/pdf',
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'b5bb9d80' } },
  },
  async (request, deps) => buildAuditPdf(await readArtifactContent(request, deps), request, deps),
)
