// API schemas for trying a policy.
import { type Static, Type } from 'typebox'
import {
  ArtifactName,
  EnvironmentName,
  FingerprintOrEmpty,
  PolicyName,
  SnapshotIndex,
} from '../shared/fields.ts'
import { Reason } from '../shared/verdict-wire.ts'
import { about, Closed, Described, Naming, Nullable } from '../shared/wire.ts'
import { Snapshot } from '../snapshots/wire.ts'
import { PolicyVersionDetail } from './wire.ts'

const MAX_NAMED = 50

export const PolicyTry = Closed('PolicyTry', {
  policy_yaml: Type.String({ description: 'Policy YAML, as in a PUT' }),
  snapshots: Type.Optional(
    Type.Array(Naming('snapshot', Type.String()), {
      maxItems: MAX_NAMED,
      description: 'Snapshots to try it on: `prod`, `prod#12`, `prod~3`, `prod@{2.weeks.ago}`',
    }),
  ),
  environments: Type.Optional(
    Type.Array(Naming('environment', Type.String()), {
      maxItems: MAX_NAMED,
      ...about('Environments whose latest snapshot to try it on', ['production']),
    }),
  ),
})
export type PolicyTry = Static<typeof PolicyTry>

const Counts = Snapshot.properties.artifact_compliance_count
const VerdictBefore = Nullable(
  Type.Boolean(about('Whether it is compliant now; null if no policy is attached', false)),
)

const Flip = Closed('PolicyTryFlip', {
  artifact_name: ArtifactName,
  artifact_fingerprint: FingerprintOrEmpty,
  compliant_before: VerdictBefore,
  compliant_after: Nullable(
    Type.Boolean(about('Whether it would be compliant with the draft; null if unknown', true)),
  ),
  reasons_before: Type.Array(Reason, about('Current reasons for non-compliance')),
  reasons_after: Type.Array(Reason, about('Reasons for non-compliance with the draft')),
})
export type Flip = Static<typeof Flip>

const Target = Closed('PolicyTryTarget', {
  environment_name: EnvironmentName,
  snapshot_index: SnapshotIndex,
  compliant_before: VerdictBefore,
  compliant_after: Type.Boolean(about('Whether it would be compliant with the draft', true)),
  artifacts: Type.Integer(about('Number of running artifacts', 5)),
  counts_before: Described(Counts, 'Number of artifacts by current verdict'),
  counts_after: Described(Counts, 'Number of artifacts by verdict with the draft'),
  flips_total: Type.Integer(about('Number of artifacts whose verdict would change', 3)),
  flips: Type.Array(Flip, {
    description:
      'The artifacts whose verdict the draft changes, sorted by name: at most 1000 per snapshot, and 5000 in total',
  }),
})
export type Target = Static<typeof Target>

const Summary = Closed(
  'PolicyTrySummary',
  {
    environments_that_would_turn_red: Type.Integer(
      about('Number of environments that would become non-compliant', 0),
    ),
    environments_that_would_turn_green: Type.Integer(
      about('Number of environments that would become compliant', 1),
    ),
    artifacts_that_would_turn_red: Type.Integer(
      about('Number of artifacts that would become non-compliant', 0),
    ),
    artifacts_that_would_turn_green: Type.Integer(
      about('Number of artifacts that would become compliant', 3),
    ),
  },
  about('Changes in all environments together'),
)
export type Summary = Static<typeof Summary>

export const PolicyTried = Closed('PolicyTried', {
  policy_name: PolicyName,
  targets: Type.Array(Target, about('Changes in each environment')),
  summary: Summary,
  warnings: PolicyVersionDetail.properties.warnings,
})
export type PolicyTried = Static<typeof PolicyTried>
