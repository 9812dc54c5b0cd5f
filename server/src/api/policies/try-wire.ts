// API schemas for trying a policy.
import { type Static, Type } from 'typebox'
import { Closed, Nullable } from '../shared/wire.ts'
import { Reason, Snapshot } from '../snapshots/wire.ts'
import { PolicyVersionDetail } from './wire.ts'

const MAX_NAMED = 50

export const PolicyTry = Closed('PolicyTry', {
  policy_yaml: Type.String({ description: 'Policy YAML, as in a PUT' }),
  snapshots: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_NAMED,
      description: 'Snapshots to try it on: `prod`, `prod#12`, `prod~3`, `prod@{2.weeks.ago}`',
    }),
  ),
  environments: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_NAMED,
      description: 'Environments whose latest snapshot to try it on',
    }),
  ),
})
export type PolicyTry = Static<typeof PolicyTry>

const Counts = Snapshot.properties.artifact_compliance_count
const Verdict = Nullable(Type.Boolean({ description: 'Null if no policy is attached' }))

const Flip = Closed('PolicyTryFlip', {
  artifact_name: Type.String(),
  artifact_fingerprint: Type.String({ description: 'Empty if the digest is unknown' }),
  compliant_before: Verdict,
  compliant_after: Verdict,
  reasons_before: Type.Array(Reason),
  reasons_after: Type.Array(Reason),
})
export type Flip = Static<typeof Flip>

const Target = Closed('PolicyTryTarget', {
  environment_name: Type.String(),
  snapshot_index: Type.Integer(),
  compliant_before: Verdict,
  compliant_after: Type.Boolean(),
  artifacts: Type.Integer({ description: 'Number of running artifacts' }),
  counts_before: Counts,
  counts_after: Counts,
  flips_total: Type.Integer(),
  flips: Type.Array(Flip, {
    description:
      'The artifacts whose verdict the draft changes, sorted by name: at most 1000 per snapshot, and 5000 in total',
  }),
})
export type Target = Static<typeof Target>

const Summary = Closed('PolicyTrySummary', {
  environments_that_would_turn_red: Type.Integer(),
  environments_that_would_turn_green: Type.Integer(),
  artifacts_that_would_turn_red: Type.Integer(),
  artifacts_that_would_turn_green: Type.Integer(),
})
export type Summary = Static<typeof Summary>

export const PolicyTried = Closed('PolicyTried', {
  policy_name: Type.String(),
  targets: Type.Array(Target),
  summary: Summary,
  warnings: PolicyVersionDetail.properties.warnings,
})
export type PolicyTried = Static<typeof PolicyTried>
