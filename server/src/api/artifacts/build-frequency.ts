// GET /build-frequency/{org}: how often each flow builds from a repository.
import { computeFrequency } from '../../domain/period.ts'
import { OrgPath } from '../flows/wire.ts'
import { defineOperation } from '../operation.ts'
import { readPeriodOfDays } from '../shared/periods.ts'
import { toEpoch } from '../shared/wire.ts'
import { requireRepo } from './list.ts'
import { countBuildsPerDay } from './store.ts'
import { BuildFrequency, BuildFrequencyQuery } from './wire.ts'

/** Less than of deployments: all builds of the org in the period are looked through. */
const MAX_DAYS = 366

export const getBuildFrequency = defineOperation(
  {
    id: 'getBuildFrequency',
    method: 'GET',
    // Not below /artifacts/{org}, where the next segment is the name of a flow.
    path: '/build-frequency/{org}',
    tag: 'Artifacts',
    summary: 'How often each flow builds from a repository',
    description: `Of at most ${MAX_DAYS} days. Days are those of UTC; what is reported again counts once, on its first day`,
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: BuildFrequencyQuery,
    returns: BuildFrequency,
    fails: [400, 403, 404],
    example: { query: { repo_name: 'acme/backend', from: '2026-02-01', to: '2026-03-01' } },
  },
  ({ query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const period = readPeriodOfDays(query, MAX_DAYS, now)
      const repo_id = await requireRepo(tx, org.org_id, query.repo_name)
      const flows = await countBuildsPerDay(tx, org.org_id, repo_id, period)
      return {
        from: toEpoch(period.from),
        to: toEpoch(period.to),
        flows: flows.map(({ flow_name, days }) => ({ flow_name, ...computeFrequency(period, days) })),
      }
    }),
)
