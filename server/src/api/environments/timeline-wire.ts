// API schemas of the timeline of an environment.

import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../shared/archived.ts'
import { Moment } from '../shared/moments.ts'
import { Closed, EpochSeconds, Nullable } from '../shared/wire.ts'

export const DEFAULT_BUCKETS = 120
const MIN_BUCKETS = 10
const MAX_BUCKETS = 400

export const TimelineQuery = Closed('EnvironmentTimelineQuery', {
  archived: IncludeArchived,
  from: Moment('Start, in epoch seconds; defaults to the first snapshot'),
  to: Moment('End, in epoch seconds; defaults to now'),
  buckets: Type.Optional(
    Type.Integer({
      minimum: MIN_BUCKETS,
      maximum: MAX_BUCKETS,
      description: `Number of buckets; defaults to ${DEFAULT_BUCKETS}. No bucket is shorter than a second`,
    }),
  ),
})

const Bucket = Closed('TimelineBucket', {
  from: EpochSeconds,
  to: EpochSeconds,
  compliant_seconds: Type.Number({ description: 'Seconds in which the environment was compliant' }),
  non_compliant_seconds: Type.Number({
    description: 'Seconds in which the environment was not compliant',
  }),
  unknown_seconds: Type.Number({
    description: 'Seconds in which a snapshot with unknown compliance was in force',
  }),
  first_index: Nullable(
    Type.Integer({
      description: 'Index of the first snapshot in force in this bucket; null if there was none',
    }),
  ),
  last_index: Nullable(
    Type.Integer({
      description: 'Index of the last snapshot in force in this bucket; null if there was none',
    }),
  ),
  snapshots: Type.Integer({ description: 'Number of snapshots taken' }),
  deployments: Type.Integer({ description: 'Number of artifacts that started to run' }),
})
export type Bucket = Static<typeof Bucket>

export const EnvironmentTimeline = Closed('EnvironmentTimeline', {
  environment_name: Type.String(),
  from: EpochSeconds,
  to: EpochSeconds,
  total_snapshots: Type.Integer({
    description: 'Number of snapshots taken between `from` and `to`',
  }),
  latest_snapshot_index: Type.Integer(),
  buckets: Type.Array(Bucket, {
    description: 'Oldest first, of equal length, without gaps; the last one includes its end time',
  }),
})
export type EnvironmentTimeline = Static<typeof EnvironmentTimeline>
