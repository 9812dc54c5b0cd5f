// API schemas of deployments over time.
import { type Static, Type } from 'typebox'
import type { TimeRange } from '../../../domain/snapshot/buckets.ts'
import { computeFailureRate } from '../../../domain/snapshot/change-failure.ts'
import { FlowNameInput } from '../../flows/wire.ts'
import { IncludeArchived } from '../../shared/archived.ts'
import { EnvironmentName } from '../../shared/fields.ts'
import { Buckets, From, To } from '../../shared/periods.ts'
import { about, Closed, Nullable, Time, toEpoch } from '../../shared/wire.ts'
import type { TrendRow } from './store.ts'

const MAX_BUCKETS = 366

export const DeploymentTrendsQuery = Closed('DeploymentTrendsQuery', {
  archived: IncludeArchived,
  flow_name: Type.Optional(FlowNameInput),
  env_name: Type.Optional(EnvironmentName),
  from: From,
  to: To,
  buckets: Buckets(MAX_BUCKETS),
})

const FIGURES = {
  deployments: Type.Integer(about('Number of artifacts that started to run', 12)),
  lead_times: Type.Integer(about('Number of deployments whose lead time is known', 10)),
  lead_time_p50: Nullable(
    Type.Number(
      about('Median of the known lead times, from commit to start, in seconds; null if none is known', 5400),
    ),
  ),
  lead_time_p90: Nullable(
    Type.Number(about('90th percentile of the known lead times, in seconds; null if none is known', 86_400)),
  ),
  non_compliant: Type.Integer(
    about('Number of artifacts that violated the policies of the environment when they started', 1),
  ),
  rolled_back: Type.Integer(
    about('Number of artifacts that were replaced by one that had run in their place before', 1),
  ),
  failed: Type.Integer(about('Number of failed deployments: non-compliant, rolled back or both', 2)),
  unknown: Type.Integer(
    about('Number of deployments whose outcome is unknown: no policy applied, and none was rolled back', 2),
  ),
  change_failure_rate: Nullable(
    Type.Number(
      about(
        'Failed deployments as a share of those with a known outcome, 0 to 1; null if there are none',
        0.2,
      ),
    ),
  ),
}

const DeploymentFigures = Closed('DeploymentFigures', FIGURES, about('The figures of the whole period'))
export type DeploymentFigures = Static<typeof DeploymentFigures>

const DeploymentTrendBucket = Closed('DeploymentTrendBucket', {
  from: Time('Start of the bucket'),
  to: Time('End of the bucket', 1_772_625_600),
  ...FIGURES,
})
export type DeploymentTrendBucket = Static<typeof DeploymentTrendBucket>

export const DeploymentTrends = Closed('DeploymentTrends', {
  from: Time('Start of the period'),
  to: Time('End of the period', 1_772_625_600),
  counted_since: Time(
    'Earlier deployments are not counted; the start of the period if there are not too many',
  ),
  total: DeploymentFigures,
  buckets: Type.Array(DeploymentTrendBucket, {
    description:
      'The buckets, oldest first, of equal length, without gaps; the last one includes its end time',
  }),
})
export type DeploymentTrends = Static<typeof DeploymentTrends>

export function toWireBucket({ from, to }: TimeRange, row: TrendRow | undefined): DeploymentTrendBucket {
  return { from: toEpoch(from), to: toEpoch(to), ...toWireFigures(row) }
}

export function toWireFigures(row: TrendRow | undefined): DeploymentFigures {
  const { deployments = 0, failed = 0, unknown = 0 } = row ?? {}
  return {
    deployments,
    lead_times: row?.lead_times ?? 0,
    lead_time_p50: row?.lead_time_p50 ?? null,
    lead_time_p90: row?.lead_time_p90 ?? null,
    non_compliant: row?.non_compliant ?? 0,
    rolled_back: row?.rolled_back ?? 0,
    failed,
    unknown,
    change_failure_rate: computeFailureRate({ deployments, failed, unknown }),
  }
}
