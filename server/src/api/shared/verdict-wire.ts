// API schemas of the verdicts on running artifacts: reasons, the findings of each policy and rule, allow-list entries
// and counts.
import { type Static, Type } from 'typebox'
import { UNKNOWN_CAUSES } from '../../domain/snapshot/unknown.ts'
import { EXAMPLE_ID } from './examples.ts'
import {
  AllowedBy,
  AllowReason,
  ArtifactName,
  AttestationName,
  AttestationType,
  Expected,
  ExpiresAtOrNull,
  Fingerprint,
  FlowName,
  Found,
  PolicyName,
  ReasonText,
  TrailName,
} from './fields.ts'
import { about, Closed, Nullable, OneOf, Time } from './wire.ts'

export const Reason = Closed(
  'Reason',
  {
    type: Type.String(about('Type of the reason', 'missing_attestation')),
    description: ReasonText,
    policy_name: PolicyName,
    policy_version: Type.Integer(about('Version of the policy that was applied', 3)),
    rule: OneOf(['provenance', 'trail-compliance', 'attestation'], about('The violated rule', 'attestation')),
    artifact_name: ArtifactName,
    artifact_fingerprint: Fingerprint,
    flow_name: Nullable(FlowName),
    trail_name: Nullable(TrailName),
    attestation_name: Nullable(AttestationName),
    attestation_type: Nullable(AttestationType),
    for_control: Nullable(
      Type.String(),
      about('Identifier of the control that the decision is about', 'SDLC-7'),
    ),
    expected: Expected,
    found: Found,
    remedy: Type.String(
      about('Action that makes it compliant', "Attest 'unit-tests' of type junit for the artifact"),
    ),
  },
  { description: 'Why an artifact is not compliant' },
)

export const FlowReason = Closed('FlowReason', {
  type: Type.String(about('Type of the reason', 'missing_attestation')),
  description: ReasonText,
  flow_name: FlowName,
  trail_name: Nullable(TrailName),
  expected: Expected,
  found: Found,
})

const Resolution = Closed('RuleResolution', {
  type: Type.String(about('Type of the finding', 'rule_satisfied')),
  context: Closed(
    'RuleResolutionContext',
    {
      flow_name: Nullable(FlowName),
      trail_name: Nullable(TrailName),
      artifact_status: Nullable(
        OneOf(['COMPLIANT', 'NON-COMPLIANT']),
        about('Verdict on the artifact in its flow; null if there is none', 'COMPLIANT'),
      ),
      for_control: Type.Optional(
        Type.String(about('Identifier of the control that the decision is about', 'SDLC-7')),
      ),
      attestation_ids: Type.Optional(
        Type.Array(Type.String(), about('Ids of the attestations that were considered', [EXAMPLE_ID])),
      ),
      expires_at: Type.Optional(
        Time('When the first of these attestations that can expire does, or did; absent if none can'),
      ),
      unknown: Type.Optional(
        Type.Array(
          Type.String(),
          about('References in the condition of the rule that the flow does not set, so the rule applies', [
            'flow.tags.env',
          ]),
        ),
      ),
      error: Type.Optional(Type.String(about('Error that prevented the evaluation'))),
    },
    about('Context of the finding'),
  ),
})

const RuleEvaluation = Closed('RuleEvaluation', {
  rule: Closed(
    'EvaluatedRule',
    {
      type: OneOf(
        ['provenance', 'trail-compliance', 'attestation'],
        about('Type of the rule', 'attestation'),
      ),
      definition: Type.Record(
        Type.String(),
        Type.Unknown(),
        about('The rule, as defined in the policy', { name: 'unit-tests', type: 'junit' }),
      ),
    },
    about('The evaluated rule'),
  ),
  satisfied: Nullable(Type.Boolean(about('Whether the rule is met; null if it does not apply', true))),
  ignored: Type.Boolean(about('Whether an exception waived the rule', false)),
  resolutions: Type.Array(Resolution, about('Facts that the rule was evaluated against')),
})

export const PolicyDecision = Closed('PolicyDecision', {
  policy_name: PolicyName,
  policy_version: Type.Integer(about('Version of the policy that was applied', 3)),
  status: OneOf(['COMPLIANT', 'NON-COMPLIANT'], about('Verdict of the policy', 'COMPLIANT')),
  rule_evaluations: Type.Array(RuleEvaluation, about('Result of each rule of the policy')),
})
export type PolicyDecision = Static<typeof PolicyDecision>

export const AllowListed = Nullable(
  Closed('AllowListed', {
    description: AllowReason,
    created_by: AllowedBy,
    expires_at: ExpiresAtOrNull,
  }),
  about('The allow-list entry that permits it; null if there is none', null),
)

export const UnknownBecause = Nullable(
  OneOf([...UNKNOWN_CAUSES]),
  about(
    'Why it is not known whether it is compliant now: a logical environment has no members, nothing was reported yet, ' +
      'reports stay away, no policy is attached, the last report was partial, an evaluation has waited for more than a ' +
      'minute (then `state` is the last known one), or a member of a logical environment is unknown. Null if it is known',
    'no-policies',
  ),
)

export const ArtifactComplianceCount = Closed(
  'ArtifactComplianceCount',
  {
    true: Type.Integer(about('Number of compliant artifacts', 4)),
    false: Type.Integer(about('Number of non-compliant artifacts', 1)),
    null: Type.Integer(about('Number of artifacts without a verdict', 0)),
  },
  about('Number of compliant, non-compliant and unknown artifacts'),
)
