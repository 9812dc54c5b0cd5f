// What is known about a trail (evidence) and what is concluded from it (verdict). The verdict has the shape of
// `compliance_status` on the wire plus `reasons`; who stores it adds time and template id.

export type ComplianceState = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE'

// The latest report per name and target. An override carries the type of the attestation it overrides.
export interface AttestationEvidence {
  attestation_id: string
  attestation_name: string
  attestation_type: string
  is_compliant: boolean
  overridden_attestation_id: string | null
}

// The latest artifact per template name.
export interface ArtifactEvidence {
  template_reference_name: string
  artifact_fingerprint: string
  artifact_id: string
  attestations: AttestationEvidence[]
}

export interface TrailEvidence {
  attestations: AttestationEvidence[]
  artifacts: ArtifactEvidence[]
}

export interface AttestationStatus {
  attestation_name: string
  attestation_type: string
  attestation_id: string | null
  overridden_attestation_id: string | null
  status: 'COMPLETE' | 'MISSING'
  is_compliant: boolean | null
  unexpected: boolean
}

export interface ArtifactStatus {
  artifact_fingerprint: string | null
  artifact_id: string | null
  status: ComplianceState | 'MISSING'
  is_compliant: boolean | null
  attestations_statuses: AttestationStatus[]
  unexpected: boolean
  reasons: Reason[]
}

export interface TrailVerdict {
  status: ComplianceState
  is_compliant: boolean
  attestations_statuses: AttestationStatus[]
  artifacts_statuses: Record<string, ArtifactStatus>
  reasons: Reason[]
}

export const RULES = [
  'missing_attestation',
  'wrong_attestation_type',
  'non_compliant_attestation',
  'missing_artifact',
  'incomplete_artifact',
  'non_compliant_artifact',
] as const
export type Rule = (typeof RULES)[number]

export interface Reason {
  rule: Rule
  attestation_name?: string
  attestation_type?: string
  template_reference_name?: string
  expected: string
  found: string
  description: string
}
