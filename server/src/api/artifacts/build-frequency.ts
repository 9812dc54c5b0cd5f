// GET /build-frequency/{org}: how often each flow builds from a repository.

import { computeFrequency } from '../../domain/period.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { readPeriodOfDays } from '../shared/periods.ts'
import { toEpoch } from '../shared/wire.ts'
import { requireRepo } from './list.ts'
import { countBuildsPerDay } from './store.ts'
import { BuildFrequency, BuildFrequencyQuery } from './wire.ts'

/** Lower than for deployments, because the query reads all builds of the organization in the period. */
const MAX_DAYS = 366

export const getBuildFrequency = defineOperation(
  {
    id: 'getBuildFrequency',
    method: 'GET',
    // Not below /artifacts/{org}, where the next segment is a flow name.
    path: '/build-frequency/{org}',
    tag: 'Artifacts',
    summary: 'Get how often each flow builds from a repository',
    description: `For at most ${MAX_DAYS} days, in UTC. An artifact reported again counts once, on its first day`,
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
