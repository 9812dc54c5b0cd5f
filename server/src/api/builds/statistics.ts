// GET /builds/{org}/statistics: when artifacts were built.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { toEpoch } from '../shared/wire.ts'
import { MAX_DAYS, readBuildPeriod, resolveRepoIds } from './filter.ts'
import { listBuildTimes } from './store.ts'
import { BuildStatistics, BuildStatisticsQuery } from './wire.ts'

export const getBuildStatistics = defineOperation(
  {
    id: 'getBuildStatistics',
    method: 'GET',
    path: '/builds/{org}/statistics',
    tag: 'Artifacts',
    summary: 'Get the time of each build',
    description: `For at most ${MAX_DAYS} days. An artifact that is reported again counts once, as first reported`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: BuildStatisticsQuery,
    returns: BuildStatistics,
    fails: [400, 403, 404],
  },
  ({ query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const period = readBuildPeriod(query, now)
      const repo_ids = await resolveRepoIds(tx, org.org_id, query)
      const times = await listBuildTimes(tx, org.org_id, { ...period, repo_ids })
      return {
        start_ts: toEpoch(period.from),
        end_ts: toEpoch(period.to),
        count: times.length,
        timestamps: times.map(toEpoch),
      }
    }),
)
