// GET /trails/{org}/{flow_name}/{trail_name}/audit_pdf: the summary of a trail as a PDF.
import { Binary, defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { TrailPath } from '../trails/wire.ts'
import { readTrailContent } from './content.ts'
import { buildAuditPdf } from './package.ts'

export const getTrailPdf = defineOperation(
  {
    id: 'getTrailPdf',
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}/audit_pdf',
    tag: 'Audit packages',
    summary: 'Download the summary of a trail as a PDF',
    description: 'The same facts as `summary.html` in the audit package of the trail',
    access: 'reader',
    visitors: 'public_read',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: TrailPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/pdf',
    fails: [400, 403, 404],
  },
  async (request, deps) => buildAuditPdf(await readTrailContent(request, deps), request, deps),
)
