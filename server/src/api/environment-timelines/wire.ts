// API schemas of the timelines of several environments.
import { type Static, Type } from 'typebox'
import { Bucket, BucketCount } from '../environments/timeline/wire.ts'
import { EpochTime } from '../shared/epoch-times.ts'
import { EnvironmentName, LatestSnapshotIndex } from '../shared/fields.ts'
import { about, Closed, Nullable, Time } from '../shared/wire.ts'

const MAX_ENVIRONMENTS = 50
export const DEFAULT_DAYS = 90

export const TimelinesQuery = Closed('EnvironmentTimelinesQuery', {
  environment: Type.Array(EnvironmentName, {
    minItems: 1,
    maxItems: MAX_ENVIRONMENTS,
    description: 'Names of environments, archived or not; repeat the parameter for several',
  }),
  from: EpochTime(`Start, in epoch seconds; defaults to ${DEFAULT_DAYS} days ago`),
  buckets: BucketCount,
})

const ListedTimeline = Closed('ListedTimeline', {
  environment_name: EnvironmentName,
  latest_snapshot_index: LatestSnapshotIndex,
  state_since: Nullable(
    Time('Time since which the state of the latest snapshot has not changed; null if there is no snapshot'),
  ),
  is_state_older: Type.Boolean(
    about('Whether the state began before `from`, so that `state_since` is later than it began', false),
  ),
  artifact_compliance_count: Type.Record(
    Type.String(),
    Type.Integer(),
    about('Number of compliant, non-compliant and unknown artifacts in the latest snapshot', {
      true: 4,
      false: 1,
      null: 0,
    }),
  ),
  buckets: Type.Array(Bucket, about('The buckets, oldest first, as in the timeline of one environment')),
})

export const EnvironmentTimelines = Closed('EnvironmentTimelines', {
  from: Time('Start of the timelines'),
  to: Time('End of the timelines: now', 1_772_625_600),
  timelines: Type.Array(ListedTimeline, {
    description: 'One for each environment that exists, by name',
  }),
})
export type EnvironmentTimelines = Static<typeof EnvironmentTimelines>
