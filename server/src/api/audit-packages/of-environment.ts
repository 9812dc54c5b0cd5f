// GET /environments/{org}/{env_name}/audit_package: the events of an environment in a period.
import { describeVerdict } from '../../domain/snapshot/unknown.ts'
import { requireActive } from '../environments/problems.ts'
import { findEnvironmentOnce } from '../environments/store.ts'
import { EnvironmentPath, toWire } from '../environments/wire.ts'
import { Binary, defineOperation } from '../operation.ts'
import { describePeriod, toIssuedPeriod } from '../shared/issued-period.ts'
import { MAX_PACKAGE_EVENTS, PackagePeriod, readEvents } from './read-events.ts'
import { buildSealedPackage } from './sealed-package.ts'

export const getEnvironmentPackage = defineOperation(
  {
    id: 'getEnvironmentPackage',
    method: 'GET',
    path: '/environments/{org}/{env_name}/audit_package',
    tag: 'Audit packages',
    summary: 'Download the audit package of an environment',
    description: `The environment and its events in a period, each with its proof in the log, for \`waybill verify\`. At most ${MAX_PACKAGE_EVENTS.toLocaleString('en')} events: more are refused.`,
    access: 'reader',
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: EnvironmentPath,
    query: PackagePeriod,
    returns: Binary,
    download: 'application/gzip',
    fails: [400, 403, 404, 503],
  },
  async (request, deps) => {
    const { params, query, org, now } = request
    const found = await findEnvironmentOnce(deps.db, org.org_id, params.env_name)
    const row = requireActive(found, org.name, params.env_name, true)
    const { name } = row
    const environment = toWire(row, { org: org.name, base_url: deps.base_url, now })
    const period = describePeriod(query)
    return buildSealedPackage(
      {
        name: `${org.name}-${name}`,
        title: `Environment ${name}, ${period}`,
        asked: { scope: 'environment', subject: name, ...toIssuedPeriod(query) },
        facts: [
          ['Organization', org.name],
          ['Environment', name],
          ['Period', period],
          ['State now', describeVerdict(environment.state, environment.unknown_because)],
          ['Generated at', now.toISOString()],
        ],
        records: { 'environment.json': environment },
        events: await readEvents(deps.db, org, { environment_name: name, ...query }),
      },
      request,
      deps,
    )
  },
)
