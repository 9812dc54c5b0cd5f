// GET /trails/{org}/{flow_name}/{trail_name}/audit_pdf: the summary of a trail as a PDF.
import { Binary, operation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { TrailPath } from '../trails/wire.ts'
import { contentOfTrail } from './content.ts'
import { auditPdf } from './package.ts'

export const getTrailPdf = operation(
  {
    id: 'getTrailPdf',
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}/audit_pdf',
    tag: 'Audit packages',
    summary: 'Download the summary of a trail as a PDF',
    description: 'The same facts as `summary.html` in the audit package of the trail',
    access: 'reader',
    visitors: true,
    audit: 'none: reads',
    params: TrailPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/pdf',
    fails: [400, 403, 404],
  },
  async (request, deps) => auditPdf(await contentOfTrail(request, deps), request, deps),
)
