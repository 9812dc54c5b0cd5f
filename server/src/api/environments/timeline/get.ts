// GET /environments/{org}/{env_name}/timeline: the compliance of an environment over time, in as many buckets as a
// screen can show, whatever the number of snapshots.
import { resolveTimeRange, splitIntoBuckets } from '../../../domain/snapshot/buckets.ts'
import { defineOperation } from '../../operation.ts'
import { fromEpoch } from '../../shared/epoch-times.ts'
import { listPhysicalEnvironments } from '../../shared/members-store.ts'
import { requireOrder } from '../../shared/periods.ts'
import { readSilencesOfAll } from '../../shared/silences-store.ts'
import { toEpoch, toEpochOrNull } from '../../shared/wire.ts'
import { requireEnvironment } from '../problems.ts'
import { EnvironmentPath } from '../wire.ts'
import * as store from './store.ts'
import { DEFAULT_BUCKETS, EnvironmentTimeline, TimelineQuery, toWireBuckets } from './wire.ts'

export const getEnvironmentTimeline = defineOperation(
  {
    id: 'getEnvironmentTimeline',
    method: 'GET',
    path: '/environments/{org}/{env_name}/timeline',
    tag: 'Environments',
    summary: 'Get the compliance of an environment over time',
    description:
      'Divides a period, by default from the first snapshot to now, into buckets of equal length. Each bucket says ' +
      'how long the environment was compliant, which snapshots were in force and how many artifacts started. For a ' +
      'logical environment, it counts the artifacts that started in its members.',
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    query: TimelineQuery,
    returns: EnvironmentTimeline,
    fails: [400, 403, 404],
    example: { query: { from: '1772496000', to: '1772582400', buckets: '24' } },
  },
  ({ params, query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const environment = await requireEnvironment(tx, org, params.env_name, query.archived)
      const { environment_id } = environment
      const [first_snapshot_at, sources] = await Promise.all([
        store.findFirstSnapshotTime(tx, org.org_id, environment_id),
        listPhysicalEnvironments(tx, org.org_id, environment),
      ])
      const given = { from: fromEpoch(query.from), to: fromEpoch(query.to) }
      const range = requireOrder(resolveTimeRange(given, first_snapshot_at, now), 'from')
      const buckets = splitIntoBuckets(range, query.buckets ?? DEFAULT_BUCKETS)
      const deployed_to = sources.map(source => source.environment_id)
      const silent = await readSilencesOfAll(
        tx,
        org.org_id,
        [{ environment_id, stale_at: environment.stale_at, sources: deployed_to }],
        { since: range.from, now },
      )
      const { silences = [], known_since = range.from } = silent.get(environment_id) ?? {}
      const rows = await store.listBuckets(tx, org.org_id, [{ environment_id, deployed_to, silences }], {
        from_at: range.from,
        to_at: range.to,
        now,
        starts: buckets.map(({ from }) => from),
      })
      return {
        environment_name: environment.name,
        from: toEpoch(range.from),
        to: toEpoch(range.to),
        total_snapshots: rows.reduce((sum, { snapshots }) => sum + snapshots, 0),
        latest_snapshot_index: environment.latest_index,
        silences: silences
          .filter(silence => silence.from <= range.to)
          .map(silence => ({ from: toEpoch(silence.from), to: toEpochOrNull(silence.to) })),
        silences_known_since: toEpoch(known_since),
        buckets: toWireBuckets(buckets, rows),
      }
    }),
)
