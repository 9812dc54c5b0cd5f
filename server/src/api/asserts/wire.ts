// Assertions as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Closed, EpochSeconds, Nullable, OneOf } from '../shared/wire.ts'
import { PolicyDecision, Reason, SnapshotArtifact } from '../snapshots/wire.ts'
import { ComplianceStatus } from '../trails/wire.ts'

const MAX_POLICIES = 100

export const AssertPath = Closed('AssertPath', { org: Type.String(), fingerprint: FingerprintPrefix })

export const AssertQuery = Closed('AssertQuery', {
  flow_name: Type.Optional(Type.String({ description: 'Only evaluate this flow. Empty means all flows' })),
  environment_name: Type.Optional(
    Type.String({ description: 'Evaluate the policies attached to this environment' }),
  ),
  policy_name: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_POLICIES,
      description: 'Evaluate the latest versions of these policies, attached anywhere or not',
    }),
  ),
})

export const AssertReason = Closed(
  'AssertReason',
  {
    ...Reason.properties,
    policy_name: Nullable(Reason.properties.policy_name),
    policy_version: Nullable(Reason.properties.policy_version),
    rule: Nullable(Reason.properties.rule),
  },
  {
    description:
      'Why the artifact is not compliant. Without a policy, the reason comes from the template of a flow',
  },
)
export type AssertReason = Static<typeof AssertReason>

const AssertedStatus = Closed('AssertedStatus', {
  status: ComplianceStatus.properties.status,
  is_compliant: Type.Boolean(),
  attestations_statuses: ComplianceStatus.properties.attestations_statuses,
  reasons: ComplianceStatus.properties.reasons,
  evaluated_at: EpochSeconds,
  flow_template_id: Type.String(),
})
export type AssertedStatus = Static<typeof AssertedStatus>

const AssertedFlow = Closed('AssertedFlow', {
  flow: Type.String(),
  trail: Nullable(Type.String()),
  compliance_status: Nullable(AssertedStatus),
})
export type AssertedFlow = Static<typeof AssertedFlow>

export const Assertion = Closed('Assertion', {
  scope: OneOf(['flow', 'environment', 'policy']),
  compliant: Type.Boolean(),
  environment: Type.Optional(Type.String({ description: 'Only in the scope `environment`' })),
  environment_is_stale: Type.Optional(
    Type.Boolean({
      description:
        'Only in the scope `environment`: whether the environment stopped reporting. The verdict is about the ' +
        'artifact and does not depend on this',
    }),
  ),
  artifact_name: Type.String(),
  artifact_fingerprint: Type.String(),
  policy_evaluations: Type.Array(PolicyDecision, { description: 'Empty in the scope `flow`' }),
  flows: Type.Array(AssertedFlow, {
    description:
      'Each flow that has the artifact, in order of reporting, with its newest trail. The statuses cover the trail ' +
      'and this artifact on it',
  }),
  html_url: Type.String({ description: 'The page of the artifact in its first flow' }),
  reasons: Type.Array(AssertReason, { description: 'Empty when compliant' }),
  allow_listed: SnapshotArtifact.properties.allow_listed,
})
export type Assertion = Static<typeof Assertion>
