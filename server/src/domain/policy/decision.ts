// The evidence known about an artifact and the decision of a policy about it. Rules, resolutions and reasons have the
// shape in which they are stored and returned.

export interface AttestationFact {
  // Ids grow with time: the larger one was reported later.
  attestation_id: string
  name: string
  // For example 'junit', 'custom:x', 'system:decision'.
  type: string
  is_compliant: boolean
  control: string | null
  // When it stops counting, in epoch seconds. Only decisions can expire.
  expires_at: number | null
  subject: 'artifact' | 'trail'
}

export interface FlowEvidence {
  flow_name: string
  flow_tags: Readonly<Record<string, string>>
  trail_name: string | null
  artifact_state: 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE'
  // The latest attestation of each name on the artifact and on its trail.
  attestations: readonly AttestationFact[]
}

// Everything a verdict depends on besides policies and evidence.
export interface Circumstances {
  allow_listed: boolean
  // Decisions that expire by then do not count.
  now: Date
}

export interface ArtifactEvidence {
  name: string
  fingerprint: string
  flows: readonly FlowEvidence[]
}

export type RuleType = 'provenance' | 'trail-compliance' | 'attestation'

const FAILING_RESOLUTIONS = [
  'missing_attestation',
  'non_compliant_attestation',
  'expired_decision',
  'non_compliant_in_trail',
  'no_provenance',
  'evaluation_error',
] as const
export type FailingResolution = (typeof FAILING_RESOLUTIONS)[number]
type ResolutionType = 'rule_satisfied' | 'rule_not_applicable' | FailingResolution

export interface Resolution {
  type: ResolutionType
  context: {
    flow_name: string | null
    trail_name: string | null
    // Set only for trail-compliance rules.
    artifact_status: 'COMPLIANT' | 'NON-COMPLIANT' | null
    for_control?: string
    // The attestations that satisfy or fail the rule.
    attestation_ids?: string[]
    // The earliest expiry among them, past or future, in epoch seconds.
    expires_at?: number
    // References in the condition that the flow does not set. The rule then applies, because nothing proves that it
    // does not.
    unknown?: string[]
    error?: string
  }
}

// `satisfied` is null if the rule applies nowhere; the rule is then ignored.
export interface RuleEvaluation {
  satisfied: boolean | null
  ignored: boolean
  resolutions: Resolution[]
}

export interface Reason {
  type: FailingResolution
  description: string
  policy_name: string
  policy_version: number
  rule: RuleType
  artifact_name: string
  artifact_fingerprint: string
  flow_name: string | null
  trail_name: string | null
  attestation_name: string | null
  attestation_type: string | null
  for_control: string | null
  expected: string
  found: string
  remedy: string
}

export interface PolicyDecision {
  policy_name: string
  policy_version: number
  status: 'COMPLIANT' | 'NON-COMPLIANT'
  rule_evaluations: RuleEvaluation[]
  reasons: Reason[]
}

export interface ArtifactVerdict {
  compliant: boolean | null
  decisions: PolicyDecision[]
  reasons: Reason[]
}
