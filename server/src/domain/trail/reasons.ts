// The structured reasons of a verdict that is not compliant: what was expected, what was found, and a sentence
// for people. API, webhooks, CSV and screens show the same object.

import { ANY_TYPE, type AttestationSlot } from '../template/template.ts'
import type { AttestationEvidence, ComplianceState, Reason } from './verdict.ts'

export function missingAttestation(slot: AttestationSlot, artifact: string | null): Reason {
  const kind = slot.type === ANY_TYPE ? 'any type' : `type '${slot.type}'`
  return {
    rule: 'missing_attestation',
    ...subject(slot.name, slot.type, artifact),
    expected: `an attestation of ${kind}`,
    found: 'nothing',
    description: `Attestation '${slot.name}' ${target(artifact)} has not been reported`,
  }
}

export function wrongAttestationType(
  slot: AttestationSlot,
  report: AttestationEvidence,
  artifact: string | null,
): Reason {
  const type = report.attestation_type
  return {
    rule: 'wrong_attestation_type',
    ...subject(slot.name, slot.type, artifact),
    expected: `an attestation of type '${slot.type}'`,
    found: `an attestation of type '${type}'`,
    description: `Attestation '${slot.name}' ${target(artifact)} is of type '${type}' where the template asks for '${slot.type}'`,
  }
}

export function nonCompliantAttestation(report: AttestationEvidence, artifact: string | null): Reason {
  return {
    rule: 'non_compliant_attestation',
    ...subject(report.attestation_name, report.attestation_type, artifact),
    expected: 'a compliant attestation',
    found: 'a non-compliant attestation',
    description: `Attestation '${report.attestation_name}' ${target(artifact)} is not compliant`,
  }
}

export function missingArtifact(name: string): Reason {
  return {
    rule: 'missing_artifact',
    template_reference_name: name,
    expected: 'an artifact',
    found: 'nothing',
    description: `Artifact '${name}' has not been reported`,
  }
}

export function artifactNotCompliant(name: string, status: ComplianceState): Reason {
  return {
    rule: status === 'INCOMPLETE' ? 'incomplete_artifact' : 'non_compliant_artifact',
    template_reference_name: name,
    expected: 'COMPLIANT',
    found: status,
    description: `Artifact '${name}' is ${status}`,
  }
}

function subject(
  attestation_name: string,
  attestation_type: string,
  artifact: string | null,
): Partial<Reason> {
  const attestation = { attestation_name, attestation_type }
  return artifact === null ? attestation : { ...attestation, template_reference_name: artifact }
}

function target(artifact: string | null): string {
  return artifact === null ? 'on the trail' : `on artifact '${artifact}'`
}
