// Assigns the attestations reported for one target to the slots of the template. Attestations that fit no slot are
// kept as unexpected: they are not required, but they count if they are not compliant.

import { toStoredType } from '../attestation/types.ts'
import { ANY_TYPE, type AttestationSlot } from '../template/template.ts'
import {
  explainMissingAttestation,
  explainNonCompliantAttestation,
  explainWrongAttestationType,
} from './reasons.ts'
import type { AttestationEvidence, AttestationStatus, Reason } from './verdict.ts'

export interface FilledSlots {
  statuses: AttestationStatus[]
  reasons: Reason[]
}

// `artifact` is null for attestations of the trail itself.
export function fillSlots(
  slots: AttestationSlot[],
  evidence: AttestationEvidence[],
  artifact: string | null,
): { expected: FilledSlots; unexpected: FilledSlots } {
  const reports = [...evidence].sort(compareByNameThenId)
  const named = new Map<string, AttestationEvidence>(reports.map(report => [report.attestation_name, report]))
  const fitting = new Map<AttestationSlot, AttestationEvidence>()
  for (const slot of slots) {
    const report = named.get(slot.name)
    if (report && canFill(slot, report)) fitting.set(slot, report)
  }
  const placed = new Set(fitting.values())
  const left = reports.filter(report => !placed.has(report))
  return {
    expected: {
      statuses: slots.map(slot => buildExpectedStatus(slot, fitting.get(slot))),
      reasons: slots.flatMap(slot => {
        const report = fitting.get(slot)
        if (report) return report.is_compliant ? [] : [explainNonCompliantAttestation(report, artifact)]
        const misfit = named.get(slot.name)
        return [
          misfit
            ? explainWrongAttestationType(slot, misfit, artifact)
            : explainMissingAttestation(slot, artifact),
        ]
      }),
    },
    unexpected: {
      statuses: left.map(report => buildReportedStatus(report, true)),
      reasons: left
        .filter(report => !report.is_compliant)
        .map(report => explainNonCompliantAttestation(report, artifact)),
    },
  }
}

function canFill(slot: AttestationSlot, report: AttestationEvidence): boolean {
  return slot.type === ANY_TYPE || report.attestation_type === toStoredType(slot.type)
}

function buildExpectedStatus(
  slot: AttestationSlot,
  report: AttestationEvidence | undefined,
): AttestationStatus {
  if (report) return buildReportedStatus(report, false)
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

function buildReportedStatus(report: AttestationEvidence, unexpected: boolean): AttestationStatus {
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

function compareByNameThenId(a: AttestationEvidence, b: AttestationEvidence): number {
  return (
    compareText(a.attestation_name, b.attestation_name) || compareText(a.attestation_id, b.attestation_id)
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
