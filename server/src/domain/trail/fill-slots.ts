// Puts the attestations reported for one target into the slots a template has for it. What fits no slot is kept
// as unexpected: it is not required, but it counts when it is not compliant.

import { storedType } from '../attestation/types.ts'
import { ANY_TYPE, type AttestationSlot } from '../template/template.ts'
import { missingAttestation, nonCompliantAttestation, wrongAttestationType } from './reasons.ts'
import type { AttestationEvidence, AttestationStatus, Reason } from './verdict.ts'

export interface FilledSlots {
  statuses: AttestationStatus[]
  reasons: Reason[]
}

// `artifact` is null for the attestations of the trail itself.
export function fillSlots(
  slots: AttestationSlot[],
  evidence: AttestationEvidence[],
  artifact: string | null,
): { expected: FilledSlots; unexpected: FilledSlots } {
  const reports = [...evidence].sort(byNameThenId)
  const named = new Map<string, AttestationEvidence>(reports.map(report => [report.attestation_name, report]))
  const fitting = new Map<AttestationSlot, AttestationEvidence>()
  for (const slot of slots) {
    const report = named.get(slot.name)
    if (report && fits(slot, report)) fitting.set(slot, report)
  }
  const placed = new Set(fitting.values())
  const left = reports.filter(report => !placed.has(report))
  return {
    expected: {
      statuses: slots.map(slot => expectedStatus(slot, fitting.get(slot))),
      reasons: slots.flatMap(slot => {
        const report = fitting.get(slot)
        if (report) return report.is_compliant ? [] : [nonCompliantAttestation(report, artifact)]
        const misfit = named.get(slot.name)
        return [misfit ? wrongAttestationType(slot, misfit, artifact) : missingAttestation(slot, artifact)]
      }),
    },
    unexpected: {
      statuses: left.map(report => reportedStatus(report, true)),
      reasons: left
        .filter(report => !report.is_compliant)
        .map(report => nonCompliantAttestation(report, artifact)),
    },
  }
}

function fits(slot: AttestationSlot, report: AttestationEvidence): boolean {
  return slot.type === ANY_TYPE || report.attestation_type === storedType(slot.type)
}

function expectedStatus(slot: AttestationSlot, report: AttestationEvidence | undefined): AttestationStatus {
  if (report) return reportedStatus(report, false)
  return {
    attestation_name: slot.name,
    attestation_type: slot.type,
    attestation_id: null,
    overridden_attestation_id: null,
    status: 'MISSING',
    is_compliant: null,
    unexpected: false,
  }
}

function reportedStatus(report: AttestationEvidence, unexpected: boolean): AttestationStatus {
  return {
    attestation_name: report.attestation_name,
    attestation_type: report.attestation_type,
    attestation_id: report.attestation_id,
    overridden_attestation_id: report.overridden_attestation_id,
    status: 'COMPLETE',
    is_compliant: report.is_compliant,
    unexpected,
  }
}

function byNameThenId(a: AttestationEvidence, b: AttestationEvidence): number {
  return (
    compareText(a.attestation_name, b.attestation_name) || compareText(a.attestation_id, b.attestation_id)
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
