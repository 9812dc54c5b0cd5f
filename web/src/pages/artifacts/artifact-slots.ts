// The status of each expected attestation of an artifact, from the trail it was reported on.
import type { Schemas } from '../../parts/schemas.ts'

type Slot = Schemas['AttestationStatus']

/** If a later build superseded this one, only the events of the trail still have its attestations. */
export function listSlots(trail: Schemas['Trail'], artifact: Schemas['Artifact']): Slot[] {
  const statuses = Object.values(trail.compliance_status.artifacts_statuses).flatMap(status => [
    status,
    ...status.earlier_builds,
  ])
  const own = statuses.find(status => status.artifact_fingerprint === artifact.fingerprint)
  return own ? own.attestations_statuses : readSlotsFromEvents(trail, artifact)
}

function readSlotsFromEvents(trail: Schemas['Trail'], artifact: Schemas['Artifact']): Slot[] {
  const expected =
    trail.template.trail.artifacts.find(({ name }) => name === artifact.template_reference_name)
      ?.attestations ?? []
  const latest = new Map<string, Slot>(
    expected.map(({ name, type }) => [name, { ...MISSING, attestation_name: name, attestation_type: type }]),
  )
  for (const event of trail.events) {
    if (event.type !== 'artifact_attestation_reported') continue
    if (event.artifact_fingerprint !== artifact.fingerprint) continue
    const attestation_name = String(event.template_reference_name)
    latest.set(attestation_name, {
      attestation_name,
      attestation_type: String(event.attestation_type),
      attestation_id: String(event.attestation_id),
      overridden_attestation_id: null,
      status: 'COMPLETE',
      is_compliant: event.is_compliant === true,
      unexpected: !expected.some(({ name }) => name === attestation_name),
    })
  }
  return [...latest.values()]
}

const MISSING = {
  attestation_id: null,
  overridden_attestation_id: null,
  status: 'MISSING',
  is_compliant: null,
  unexpected: false,
} as const
