// Assertions as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { ARTIFACT_UNKNOWN_CAUSES } from '../../domain/snapshot/unknown.ts'
import {
  ArtifactName,
  EvaluatedAt,
  Fingerprint,
  FlowName,
  IsCompliant,
  OrgName,
  TemplateId,
} from '../shared/fields.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { ComplianceStatus } from '../shared/trail-status-wire.ts'
import { PolicyDecision, Reason } from '../shared/verdict-wire.ts'
import { about, Closed, Described, Naming, Nullable, OneOf } from '../shared/wire.ts'
import { SnapshotArtifact } from '../snapshots/wire.ts'

const MAX_POLICIES = 100

export const AssertPath = Closed('AssertPath', {
  org: OrgName,
  fingerprint: FingerprintPrefix,
})

export const AssertQuery = Closed('AssertQuery', {
  flow_name: Type.Optional(
    Naming('flow', Type.String(about('Only evaluate this flow. Empty means all flows', 'backend-ci'))),
  ),
  environment_name: Type.Optional(
    Naming(
      'environment',
      Type.String(about('Evaluate the policies attached to this environment', 'production')),
    ),
  ),
  policy_name: Type.Optional(
    Type.Array(Naming('policy', Type.String()), {
      maxItems: MAX_POLICIES,
      ...about('Evaluate the latest versions of these policies, attached anywhere or not', [
        'production-rules',
      ]),
    }),
  ),
})

export const AssertReason = Closed(
  'AssertReason',
  {
    ...Reason.properties,
    policy_name: Nullable(Reason.properties.policy_name, about('Name of the policy', 'production-rules')),
    policy_version: Nullable(
      Reason.properties.policy_version,
      about('Version of the policy that was applied', 3),
    ),
    rule: Nullable(Reason.properties.rule, about('The violated rule', 'attestation')),
  },
  {
    description:
      'Why the artifact is not compliant. Without a policy, the reason comes from the template of a flow',
  },
)
export type AssertReason = Static<typeof AssertReason>

const AssertedStatus = Closed('AssertedStatus', {
  status: Described(ComplianceStatus.properties.status, 'The verdict', 'COMPLIANT'),
  is_compliant: IsCompliant,
  attestations_statuses: Described(
    ComplianceStatus.properties.attestations_statuses,
    'Status of each expected attestation',
  ),
  reasons: Described(ComplianceStatus.properties.reasons, 'Reasons for non-compliance; empty if compliant'),
  evaluated_at: EvaluatedAt,
  flow_template_id: TemplateId,
})
export type AssertedStatus = Static<typeof AssertedStatus>

const AssertedFlow = Closed('AssertedFlow', {
  flow: FlowName,
  trail: Nullable(
    Type.String(),
    about('Name of the trail; null if the artifact was reported without one', 'release-1.4.2'),
  ),
  compliance_status: Nullable(AssertedStatus, about('The verdict in the flow; null if there is none', null)),
})
export type AssertedFlow = Static<typeof AssertedFlow>

export const Assertion = Closed('Assertion', {
  scope: OneOf(['flow', 'environment', 'policy'], about('Scope of the check', 'environment')),
  compliant: Type.Boolean(
    about(
      'Whether the artifact is compliant in this scope; also true if no policy is attached, see `unknown_because`',
      true,
    ),
  ),
  unknown_because: Nullable(
    OneOf([...ARTIFACT_UNKNOWN_CAUSES]),
    about(
      'Why `compliant` says more than is known: no policy is attached to the environment, or to a member of a logical ' +
        'one, so nothing checked the artifact there; or the environment is stale. Null otherwise, and if `compliant` is false',
      null,
    ),
  ),
  environment: Type.Optional(
    Type.String(about('Name of the environment; only in the scope `environment`', 'production')),
  ),
  environment_is_stale: Type.Optional(
    Type.Boolean(
      about(
        'Whether the environment stopped reporting; only in the scope `environment`. The verdict is about the ' +
          'artifact and does not depend on this',
        false,
      ),
    ),
  ),
  environment_is_partial: Type.Optional(
    Type.Boolean(
      about(
        'Whether the last report of the environment was partial; only in the scope `environment`. The verdict does not depend on this',
        false,
      ),
    ),
  ),
  artifact_name: ArtifactName,
  artifact_fingerprint: Fingerprint,
  policy_evaluations: Type.Array(PolicyDecision, {
    description: 'Verdict of each policy; empty in the scope `flow`',
  }),
  flows: Type.Array(AssertedFlow, {
    description:
      'Each flow that has the artifact, in order of reporting, with its newest trail. The statuses cover the trail ' +
      'and this artifact on it',
  }),
  html_url: Type.String(
    about('The page of the artifact in its first flow', 'https://waybill.example.com/acme'),
  ),
  reasons: Type.Array(AssertReason, { description: 'Reasons for non-compliance; empty if compliant' }),
  allow_listed: SnapshotArtifact.properties.allow_listed,
})
export type Assertion = Static<typeof Assertion>
