// API schemas of environment timelines.

import { type Static, Type } from 'typebox'
import type { TimeRange } from '../../../domain/snapshot/buckets.ts'
import { IncludeArchived } from '../../shared/archived.ts'
import { EpochTime } from '../../shared/epoch-times.ts'
import { EnvironmentName, LatestSnapshotIndex } from '../../shared/fields.ts'
import { about, Closed, Nullable, Time, toEpoch } from '../../shared/wire.ts'
import type { BucketRow } from './store.ts'

export const DEFAULT_BUCKETS = 120
const MIN_BUCKETS = 10
const MAX_BUCKETS = 400

export const BucketCount = Type.Optional(
  Type.Integer({
    minimum: MIN_BUCKETS,
    maximum: MAX_BUCKETS,
    description: `Number of buckets; defaults to ${DEFAULT_BUCKETS}. No bucket is shorter than a second`,
  }),
)

export const TimelineQuery = Closed('EnvironmentTimelineQuery', {
  archived: IncludeArchived,
  from: EpochTime('Start, in epoch seconds; defaults to the first snapshot'),
  to: EpochTime('End, in epoch seconds; defaults to now'),
  buckets: BucketCount,
})

export const Bucket = Closed('TimelineBucket', {
  from: Time('Start of the bucket'),
  to: Time('End of the bucket', 1_772_625_600),
  compliant_seconds: Type.Number(about('Seconds in which the environment was compliant', 3600)),
  non_compliant_seconds: Type.Number(about('Seconds in which the environment was not compliant', 0)),
  unknown_seconds: Type.Number(
    about(
      'Seconds in which a snapshot with unknown compliance was in force, or the environment was stale',
      0,
    ),
  ),
  stale_seconds: Type.Number(
    about('Seconds of the unknown ones in which the environment was stale: its reports stayed away', 0),
  ),
  first_index: Nullable(
    Type.Integer(about('Index of the first snapshot in force in this bucket; null if there was none', 40)),
  ),
  last_index: Nullable(
    Type.Integer(about('Index of the last snapshot in force in this bucket; null if there was none', 42)),
  ),
  snapshots: Type.Integer(about('Number of snapshots taken', 2)),
  deployments: Type.Integer(about('Number of artifacts that started to run', 2)),
})
export type Bucket = Static<typeof Bucket>

const Silence = Closed('Silence', {
  from: Time('When the environment became stale'),
  to: Nullable(Time('When it reported again; null if it has not', 1_772_625_600)),
})

export const EnvironmentTimeline = Closed('EnvironmentTimeline', {
  environment_name: EnvironmentName,
  from: Time('Start of the timeline'),
  to: Time('End of the timeline', 1_772_625_600),
  total_snapshots: Type.Integer(about('Number of snapshots taken between `from` and `to`', 3)),
  latest_snapshot_index: LatestSnapshotIndex,
  silences: Type.Array(
    Silence,
    about('When the environment was stale between `from` and `to`, oldest first'),
  ),
  silences_known_since: Time('Earlier silences are not known'),
  buckets: Type.Array(Bucket, {
    description:
      'The buckets, oldest first, of equal length, without gaps; the last one includes its end time',
  }),
})
export type EnvironmentTimeline = Static<typeof EnvironmentTimeline>

export function toWireBuckets(buckets: readonly TimeRange[], rows: readonly BucketRow[]): Bucket[] {
  const byBucket = new Map(rows.map(row => [row.bucket, row]))
  return buckets.map(({ from, to }, i) => {
    const row = byBucket.get(i + 1)
    return {
      from: toEpoch(from),
      to: toEpoch(to),
      compliant_seconds: (row?.compliant_ms ?? 0) / 1000,
      non_compliant_seconds: (row?.non_compliant_ms ?? 0) / 1000,
      unknown_seconds: (row?.unknown_ms ?? 0) / 1000,
      stale_seconds: (row?.stale_ms ?? 0) / 1000,
      first_index: row?.first_index ?? null,
      last_index: row?.last_index ?? null,
      snapshots: row?.snapshots ?? 0,
      deployments: row?.deployments ?? 0,
    }
  })
}
