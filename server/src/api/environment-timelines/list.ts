// GET /environment-timelines/{org}: the compliance of several environments over time, in one response.
import { splitIntoBuckets, type TimeRange } from '../../domain/snapshot/buckets.ts'
import { listBuckets } from '../environments/timeline/store.ts'
import { DEFAULT_BUCKETS, toWireBuckets } from '../environments/timeline/wire.ts'
import { defineOperation } from '../operation.ts'
import { fromEpoch } from '../shared/epoch-times.ts'
import { OrgPath } from '../shared/fields.ts'
import { requireOrder } from '../shared/periods.ts'
import { readSilencesOfAll } from '../shared/silences-store.ts'
import { toEpoch } from '../shared/wire.ts'
import { listNamedEnvironments, listStateTimes } from './store.ts'
import { DEFAULT_DAYS, EnvironmentTimelines, TimelinesQuery } from './wire.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export const listEnvironmentTimelines = defineOperation(
  {
    id: 'listEnvironmentTimelines',
    method: 'GET',
    path: '/environment-timelines/{org}',
    tag: 'Environments',
    summary: 'Get the compliance of several environments over time',
    description:
      'The timelines of the named environments from `from` to now, each with its current numbers and the time since ' +
      'which it has its state. Names that no environment has are left out.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: TimelinesQuery,
    returns: EnvironmentTimelines,
    fails: [400, 403],
    example: { query: { environment: 'production', from: '1772496000', buckets: '24' } },
  },
  ({ query, org: { org_id }, now }, { db }) =>
    db.withTransaction({ org_id }, async tx => {
      const from = fromEpoch(query.from) ?? new Date(now.getTime() - DEFAULT_DAYS * DAY_MS)
      const range: TimeRange = requireOrder({ from, to: now }, 'from')
      const buckets = splitIntoBuckets(range, query.buckets ?? DEFAULT_BUCKETS)
      const environments = await listNamedEnvironments(tx, org_id, query.environment)
      const ids = environments.map(({ environment_id }) => environment_id)
      const silent = await readSilencesOfAll(
        tx,
        org_id,
        environments.map(({ environment_id, stale_at, deployed_to: sources }) => ({
          environment_id,
          stale_at,
          sources,
        })),
        { since: range.from, now },
      )
      const sources = environments.map(({ environment_id, deployed_to }) => ({
        environment_id,
        deployed_to,
        silences: silent.get(environment_id)?.silences ?? [],
      }))
      const [rows, times] = await Promise.all([
        listBuckets(tx, org_id, sources, {
          from_at: range.from,
          to_at: range.to,
          now,
          starts: buckets.map(bucket => bucket.from),
        }),
        listStateTimes(tx, org_id, ids, range.from),
      ])
      return {
        from: toEpoch(range.from),
        to: toEpoch(range.to),
        timelines: environments.map(({ environment_id, ...environment }) => {
          const time = times.find(each => each.environment_id === environment_id)
          const is_unchanged = time === undefined && environment.latest_index > 0
          return {
            environment_name: environment.name,
            latest_snapshot_index: environment.latest_index,
            state_since: time ? toEpoch(time.state_since) : is_unchanged ? toEpoch(range.from) : null,
            is_state_older: time?.is_older ?? is_unchanged,
            artifact_compliance_count: {
              true: environment.compliant_count,
              false: environment.non_compliant_count,
              null: environment.unknown_count,
            },
            buckets: toWireBuckets(
              buckets,
              rows.filter(row => row.environment_id === environment_id),
            ),
          }
        }),
      }
    }),
)
