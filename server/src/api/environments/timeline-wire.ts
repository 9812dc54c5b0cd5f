// The timeline of an environment, as the outside sees it.

import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../shared/archived.ts'
import { Moment } from '../shared/moments.ts'
import { Closed, EpochSeconds, Nullable } from '../shared/wire.ts'

export const USUAL_BUCKETS = 120
const FEWEST_BUCKETS = 10
const MOST_BUCKETS = 400

export const TimelineQuery = Closed('EnvironmentTimelineQuery', {
  archived: IncludeArchived,
  from: Moment('Where it begins, in epoch seconds; at the first snapshot unless told'),
  to: Moment('Where it ends, in epoch seconds; now unless told'),
  buckets: Type.Optional(
    Type.Integer({
      minimum: FEWEST_BUCKETS,
      maximum: MOST_BUCKETS,
      description: `Into how many stretches it is divided; ${USUAL_BUCKETS} unless told. None is shorter than a second`,
    }),
  ),
})

const Bucket = Closed('TimelineBucket', {
  from: EpochSeconds,
  to: EpochSeconds,
  compliant_seconds: Type.Number({ description: 'For how many seconds of it the environment was compliant' }),
  non_compliant_seconds: Type.Number({
    description: 'For how many seconds of it the environment was not compliant',
  }),
  unknown_seconds: Type.Number({
    description: 'For how many seconds of it a snapshot was in force whose compliance was unknown',
  }),
  first_index: Nullable(
    Type.Integer({ description: 'The first snapshot that was in force in it; null when there was none' }),
  ),
  last_index: Nullable(
    Type.Integer({ description: 'The last snapshot that was in force in it; null when there was none' }),
  ),
  snapshots: Type.Integer({ description: 'How many snapshots were taken in it' }),
  deployments: Type.Integer({ description: 'How many artifacts started to run in it' }),
})
export type Bucket = Static<typeof Bucket>

export const EnvironmentTimeline = Closed('EnvironmentTimeline', {
  environment_name: Type.String(),
  from: EpochSeconds,
  to: EpochSeconds,
  total_snapshots: Type.Integer({
    description: 'How many snapshots were taken from its beginning to its end',
  }),
  latest_snapshot_index: Type.Integer(),
  buckets: Type.Array(Bucket, {
    description: 'Oldest first, of equal length, without gaps; the last one includes its end',
  }),
})
export type EnvironmentTimeline = Static<typeof EnvironmentTimeline>
