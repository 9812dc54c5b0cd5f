// Builds the structured reasons of a non-compliant verdict: what was expected, what was found, and a sentence for
// people. The API, webhooks, CSV and pages show the same object.

import { ANY_TYPE, type AttestationSlot } from '../template/template.ts'
import type { ArtifactEvidence, AttestationEvidence, ComplianceState, Reason } from './verdict.ts'

export function explainMissingAttestation(slot: AttestationSlot, artifact: string | null): Reason {
  const kind = slot.type === ANY_TYPE ? 'any type' : `type '${slot.type}'`
  return {
    rule: 'missing_attestation',
    ...buildSubject(slot.name, slot.type, artifact),
    expected: `an attestation of ${kind}`,
    found: 'nothing',
    description: `Attestation '${slot.name}' ${describeTarget(artifact)} has not been reported`,
  }
}

export function explainWrongAttestationType(
  slot: AttestationSlot,
  report: AttestationEvidence,
  artifact: string | null,
): Reason {
  const type = report.attestation_type
  return {
    rule: 'wrong_attestation_type',
    ...buildSubject(slot.name, slot.type, artifact),
    expected: `an attestation of type '${slot.type}'`,
    found: `an attestation of type '${type}'`,
    description: `Attestation '${slot.name}' ${describeTarget(artifact)} has type '${type}', but the template requires '${slot.type}'`,
  }
}

export function explainNonCompliantAttestation(report: AttestationEvidence, artifact: string | null): Reason {
  return {
    rule: 'non_compliant_attestation',
    ...buildSubject(report.attestation_name, report.attestation_type, artifact),
    expected: 'a compliant attestation',
    found: 'a non-compliant attestation',
    description: `Attestation '${report.attestation_name}' ${describeTarget(artifact)} is not compliant`,
  }
}

export function explainMissingArtifact(name: string): Reason {
  return {
    rule: 'missing_artifact',
    template_reference_name: name,
    expected: 'an artifact',
    found: 'nothing',
    description: `Artifact '${name}' has not been reported`,
  }
}

export function explainNonCompliantArtifact(name: string, status: ComplianceState): Reason {
  return {
    rule: status === 'INCOMPLETE' ? 'incomplete_artifact' : 'non_compliant_artifact',
    template_reference_name: name,
    expected: 'COMPLIANT',
    found: status,
    description: `Artifact '${name}' is ${status}`,
  }
}

export function explainEarlierBuild(build: ArtifactEvidence, status: ComplianceState): Reason {
  const { template_reference_name, artifact_fingerprint } = build
  return {
    ...explainNonCompliantArtifact(template_reference_name, status),
    artifact_fingerprint,
    expected: 'every build of this artifact is COMPLIANT or superseded by a later build',
    description: `An earlier build of artifact '${template_reference_name}' (${artifact_fingerprint}) is ${status} and has not been superseded`,
  }
}

export function explainDeclaredNonCompliant(
  name: string,
  artifact_fingerprint: string,
  reported_by: string,
): Reason {
  return {
    rule: 'declared_non_compliant',
    template_reference_name: name,
    artifact_fingerprint,
    expected: 'an artifact that was not reported as non-compliant',
    found: `is_compliant: false in the report by '${reported_by}'`,
    description: `Artifact '${name}' was reported as non-compliant by '${reported_by}'`,
  }
}

function buildSubject(
  attestation_name: string,
  attestation_type: string,
  artifact: string | null,
): Partial<Reason> {
  const attestation = { attestation_name, attestation_type }
  return artifact === null ? attestation : { ...attestation, template_reference_name: artifact }
}

function describeTarget(artifact: string | null): string {
  return artifact === null ? 'on the trail' : `on artifact '${artifact}'`
}
