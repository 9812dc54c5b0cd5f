// GET /deployment-trends/{org}: how often artifacts were deployed, how long that took and how many failed, over time.
import { requirePhysicalEnvironments } from '../../environments/problems.ts'
import { requireFlow } from '../../flows/problems.ts'
import { defineOperation } from '../../operation.ts'
import { OrgPath } from '../../shared/fields.ts'
import { MAX_TREND_DAYS, readTrendPeriod } from '../../shared/periods.ts'
import { toEpoch } from '../../shared/wire.ts'
import { readTrends, type TrendRow } from './store.ts'
import { DeploymentTrends, DeploymentTrendsQuery, toWireBucket, toWireFigures } from './wire.ts'

/** The newest deployments of the period. */
const MAX_EXAMINED = 20_000

export const getDeploymentTrends = defineOperation(
  {
    id: 'getDeploymentTrends',
    method: 'GET',
    path: '/deployment-trends/{org}',
    tag: 'Deployments',
    summary: 'Get deployment frequency, lead time and change failures over time',
    description:
      'Divides a period into buckets of equal length. A deployment is an artifact that started to run in an ' +
      'environment. Its lead time is the time from the commit to the start, if both are known. It failed if the ' +
      'artifact violated the policies of the environment when it started, or if an artifact that had run in its ' +
      'place before replaced it. Without `flow_name`, all flows are counted, and artifacts that no flow reported; ' +
      `without \`env_name\`, all environments. Covers at most ${MAX_TREND_DAYS} days, and the newest ` +
      `${MAX_EXAMINED} deployments.`,
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: DeploymentTrendsQuery,
    returns: DeploymentTrends,
    fails: [400, 403, 404],
    example: { query: { from: '2026-02-01', to: '2026-03-01', buckets: '4' } },
  },
  ({ query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { period, buckets } = readTrendPeriod(query, now)
      const [flow_id, environment_ids] = await Promise.all([
        query.flow_name === undefined ? null : requireFlow(tx, org, query.flow_name, query.archived),
        requirePhysicalEnvironments(tx, org, query),
      ])
      const rows = await readTrends(tx, org.org_id, {
        from_at: period.from,
        to_at: period.to,
        starts: buckets.map(({ from }) => from),
        max_examined: MAX_EXAMINED,
        flow_id,
        environment_ids,
      })
      const total = rows.find(({ bucket }) => bucket === null)
      return {
        from: toEpoch(period.from),
        to: toEpoch(period.to),
        counted_since: toEpoch(findStart(total, period.from)),
        total: toWireFigures(total),
        buckets: buckets.map((bucket, i) =>
          toWireBucket(
            bucket,
            rows.find(row => row.bucket === i + 1),
          ),
        ),
      }
    }),
)

function findStart(total: TrendRow | undefined, from: Date): Date {
  return total !== undefined && total.deployments >= MAX_EXAMINED ? total.first_at : from
}
