// GET /organizations/{org}/audit_package: all events of a period.
import { Binary, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { describePeriod, toIssuedPeriod } from '../shared/issued-period.ts'
import { MAX_PACKAGE_EVENTS, PackagePeriod, readEvents } from './read-events.ts'
import { buildSealedPackage } from './sealed-package.ts'

export const getOrganizationPackage = defineOperation(
  {
    id: 'getOrganizationPackage',
    method: 'GET',
    path: '/organizations/{org}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of a period',
    description: `All events of the organization in a period, each with its proof in the log, for \`waybill verify\`. At most ${MAX_PACKAGE_EVENTS.toLocaleString('en')} events: more are refused.`,
    access: 'admin',
    auditors: true,
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: OrgPath,
    query: PackagePeriod,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 503],
  },
  async (request, deps) => {
    const { query, org, now } = request
    const period = describePeriod(query)
    return buildSealedPackage(
      {
        name: `${org.name}-period`,
        title: `Organization ${org.name}, ${period}`,
        asked: { scope: 'organization', subject: null, ...toIssuedPeriod(query) },
        facts: [
          ['Organization', org.name],
          ['Period', period],
          ['Generated at', now.toISOString()],
        ],
        records: {},
        events: await readEvents(deps.db, org, query),
      },
      request,
      deps,
    )
  },
)
