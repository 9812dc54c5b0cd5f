// API schemas of coverage and compliance over time.
import { type Static, Type } from 'typebox'
import type { TimeRange } from '../../domain/snapshot/buckets.ts'
import { type Coverage, computeShare } from '../../domain/snapshot/coverage.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { EnvironmentName } from '../shared/fields.ts'
import { Buckets, From, To } from '../shared/periods.ts'
import { about, Closed, Nullable, Time, toEpoch } from '../shared/wire.ts'

const MAX_BUCKETS = 90

export const CoverageTrendsQuery = Closed('CoverageTrendsQuery', {
  archived: IncludeArchived,
  env_name: Type.Optional(EnvironmentName),
  from: From,
  to: To,
  buckets: Buckets(MAX_BUCKETS),
})

const Share = (description: string) => Nullable(Type.Number(about(description, 0.8)))

const EnvironmentFigures = Closed('CoverageOfEnvironments', {
  compliant: Type.Integer(about('Number of compliant environments', 6)),
  non_compliant: Type.Integer(about('Number of non-compliant environments', 1)),
  stale: Type.Integer(
    about('Number of environments whose reports stayed away, except for non-compliant ones', 1),
  ),
  unknown: Type.Integer(
    about('Number of other environments, such as those without a policy or with a partial view', 2),
  ),
})

const ArtifactFigures = Closed('CoverageOfArtifacts', {
  total: Type.Integer(
    about('Number of running artifacts; counted in each environment in which they ran', 10),
  ),
  compliant: Type.Integer(about('Number of artifacts that were compliant by the policies', 8)),
  non_compliant: Type.Integer(about('Number of artifacts that violated a policy', 1)),
  unknown: Type.Integer(
    about(
      'Number of artifacts that were not evaluated yet, or compliant in an environment that was stale or had a partial view',
      1,
    ),
  ),
  without_policy: Type.Integer(about('Number of artifacts in environments without a policy', 0)),
  compliant_share: Share('Compliant artifacts as a share of all, 0 to 1; null if nothing ran'),
})

const ProvenanceFigures = Closed('CoverageByProvenance', {
  with_provenance: Type.Integer(
    about('Number of running artifacts that a flow of the organization had reported by then', 8),
  ),
  without_provenance: Type.Integer(about('Number of running artifacts that no flow had reported by then', 1)),
  unknown: Type.Integer(
    about('Number of reported artifacts in environments that were stale or had a partial view', 1),
  ),
  share: Share('Artifacts with provenance as a share of all, 0 to 1; null if nothing ran'),
})

const CoverageBucket = Closed('CoverageBucket', {
  from: Time('Start of the bucket'),
  to: Time('End of the bucket', 1_772_625_600),
  environments: Nullable(EnvironmentFigures, {
    description: 'How many environments had which state; null if none had reported by then',
  }),
  artifacts: Nullable(ArtifactFigures, {
    description: 'How many artifacts ran, by verdict; null if no environment had reported by then',
  }),
  provenance: Nullable(ProvenanceFigures, {
    description:
      'How many artifacts ran, by provenance; null if no environment had reported by then, or before `counted_since`',
  }),
})
export type CoverageBucket = Static<typeof CoverageBucket>

export const CoverageTrends = Closed('CoverageTrends', {
  from: Time('Start of the period'),
  to: Time('End of the period', 1_772_625_600),
  counted_since: Time(
    'Provenance at earlier times is not counted; the start of the period if not too much has changed',
  ),
  has_all_environments: Type.Boolean(
    about('False if there are too many environments: only the newest ones are counted', true),
  ),
  buckets: Type.Array(CoverageBucket, {
    description:
      'The buckets, oldest first, of equal length, without gaps. Each has the figures of its end, or of now if it has ' +
      'not ended; null if nothing had been reported by then',
  }),
})

export function toWireBucket(
  { from, to }: TimeRange,
  coverage: Coverage | null,
  { hasProvenance }: { hasProvenance: boolean },
): CoverageBucket {
  const times = { from: toEpoch(from), to: toEpoch(to) }
  if (coverage === null) return { ...times, environments: null, artifacts: null, provenance: null }
  const { environments, artifacts, provenance } = coverage
  return {
    ...times,
    environments,
    artifacts: { ...artifacts, compliant_share: computeShare(artifacts.compliant, artifacts.total) },
    provenance: hasProvenance
      ? { ...provenance, share: computeShare(provenance.with_provenance, artifacts.total) }
      : null,
  }
}
