// GET /trails/{org}/{flow_name}/{trail_name}/audit_package: the audit package of a trail.
import { Binary, defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { TrailPath } from '../trails/wire.ts'
import { readTrailContent } from './content.ts'
import { buildAuditPackage } from './sealed-package.ts'

export const getTrailPackage = defineOperation(
  {
    id: 'getTrailPackage',
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of a trail',
    description:
      'Contains the records, the attachments, a summary page, and `manifest.sha256` for `sha256sum -c`',
    access: 'reader',
    visitors: 'public_read',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: TrailPath,
    query: ArchivedQuery,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404],
  },
  async (request, deps) => buildAuditPackage(await readTrailContent(request, deps), request, deps),
)
