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

// A build that counts: one that no later build of the same name has superseded. A name may have several.
export interface ArtifactEvidence {
  template_reference_name: string
  artifact_fingerprint: string
  artifact_id: string
  // Ids grow with time: of several builds under one name, the one with the greatest is the latest.
  report_id: string
  // What the report itself said of the artifact, and who sent it; null when it said nothing.
  is_declared_compliant: boolean | null
  reported_by: string
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
  // Builds under the same name that were reported before this one and still count, latest first.
  earlier_builds: BuildStatus[]
}

export interface BuildStatus {
  artifact_fingerprint: string
  artifact_id: string
  status: ComplianceState
  is_compliant: boolean
  attestations_statuses: AttestationStatus[]
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
  'declared_non_compliant',
] as const
export type Rule = (typeof RULES)[number]

export interface Reason {
  rule: Rule
  attestation_name?: string
  attestation_type?: string
  template_reference_name?: string
  artifact_fingerprint?: string
  expected: string
  found: string
  description: string
}
