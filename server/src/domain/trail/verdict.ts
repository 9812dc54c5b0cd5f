// The evidence known about a trail and the resulting verdict. The verdict has the shape of `compliance_status` in the
// API plus `reasons`; the code that stores it adds the time and the template id.

export type ComplianceState = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE'

// The latest report per name and target. An override has the type of the attestation it overrides.
export interface AttestationEvidence {
  attestation_id: string
  attestation_name: string
  attestation_type: string
  is_compliant: boolean
  overridden_attestation_id: string | null
}

// A build that counts, because no later build of the same name supersedes it. A name may have several.
export interface ArtifactEvidence {
  template_reference_name: string
  artifact_fingerprint: string
  artifact_id: string
  // Ids grow with time: of several builds with the same name, the one with the largest id is the latest.
  report_id: string
  // The compliance stated in the report itself; null if the report states none.
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
  // Earlier builds of the same name that still count, latest first.
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
type Rule = (typeof RULES)[number]

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
