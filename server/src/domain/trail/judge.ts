// Compliance of a trail and of each artifact on it, as a function of template and evidence.
// The order in which evidence is given never matters: unexpected items are sorted by name.

import type { ArtifactSlot, Template } from '../template/template.ts'
import { type FilledSlots, fillSlots } from './fill-slots.ts'
import { artifactNotCompliant, missingArtifact } from './reasons.ts'
import type {
  ArtifactEvidence,
  ArtifactStatus,
  AttestationStatus,
  ComplianceState,
  Reason,
  TrailEvidence,
  TrailVerdict,
} from './verdict.ts'

export type {
  ArtifactEvidence,
  ArtifactStatus,
  AttestationEvidence,
  AttestationStatus,
  ComplianceState,
  Reason,
  Rule,
  TrailEvidence,
  TrailVerdict,
} from './verdict.ts'

export function judgeTrail(template: Template, evidence: TrailEvidence): TrailVerdict {
  const onTrail = fillSlots(template.trail.attestations, evidence.attestations, null)
  const artifacts = judgeArtifacts(template.trail.artifacts, evidence.artifacts, onTrail.expected)
  const status = worst([
    stateOf([...onTrail.expected.statuses, ...onTrail.unexpected.statuses]),
    ...artifacts.map(({ judged }) => (judged.status === 'MISSING' ? 'INCOMPLETE' : judged.status)),
  ])
  return {
    status,
    is_compliant: status === 'COMPLIANT',
    attestations_statuses: [...onTrail.expected.statuses, ...onTrail.unexpected.statuses],
    // fromEntries and not assignment: `__proto__` is a legal artifact name.
    artifacts_statuses: Object.fromEntries(artifacts.map(({ name, judged }) => [name, judged])),
    reasons: [
      ...onTrail.expected.reasons,
      ...onTrail.unexpected.reasons,
      ...artifacts.flatMap(artifact => artifact.reasons),
    ],
  }
}

export function freshState(template: Template): ComplianceState {
  return judgeTrail(template, { attestations: [], artifacts: [] }).status
}

interface JudgedArtifact {
  name: string
  judged: ArtifactStatus
  // What this artifact adds to the trail's reasons; those of the trail's own slots are there already.
  reasons: Reason[]
}

function judgeArtifacts(
  slots: ArtifactSlot[],
  reported: ArtifactEvidence[],
  onTrail: FilledSlots,
): JudgedArtifact[] {
  const byName = new Map(reported.map(artifact => [artifact.template_reference_name, artifact]))
  const expected = new Set(slots.map(slot => slot.name))
  const unexpected = [...byName.keys()].filter(name => !expected.has(name)).sort()
  return [
    ...slots.map(slot => {
      const artifact = byName.get(slot.name)
      return artifact ? judgeArtifact(slot, artifact, onTrail, false) : judgeMissing(slot)
    }),
    ...unexpected.flatMap(name => {
      const artifact = byName.get(name)
      return artifact ? [judgeArtifact({ name, attestations: [] }, artifact, onTrail, true)] : []
    }),
  ]
}

// What the template asks of the trail itself is asked of each artifact on it.
function judgeArtifact(
  slot: ArtifactSlot,
  artifact: ArtifactEvidence,
  onTrail: FilledSlots,
  unexpected: boolean,
): JudgedArtifact {
  const own = fillSlots(slot.attestations, artifact.attestations, slot.name)
  const statuses = [...own.expected.statuses, ...own.unexpected.statuses]
  const reasons = [...own.expected.reasons, ...own.unexpected.reasons]
  const status = worst([stateOf(statuses), stateOf(onTrail.statuses)])
  const isCompliant = status === 'COMPLIANT'
  return {
    name: slot.name,
    judged: {
      artifact_fingerprint: artifact.artifact_fingerprint,
      artifact_id: artifact.artifact_id,
      status,
      is_compliant: isCompliant,
      attestations_statuses: statuses,
      unexpected,
      reasons: [...onTrail.reasons, ...reasons],
    },
    reasons: isCompliant ? [] : [artifactNotCompliant(slot.name, status), ...reasons],
  }
}

function judgeMissing(slot: ArtifactSlot): JudgedArtifact {
  const reasons = [missingArtifact(slot.name)]
  return {
    name: slot.name,
    judged: {
      artifact_fingerprint: null,
      artifact_id: null,
      status: 'MISSING',
      is_compliant: null,
      attestations_statuses: fillSlots(slot.attestations, [], slot.name).expected.statuses,
      unexpected: false,
      reasons,
    },
    reasons,
  }
}

function stateOf(statuses: AttestationStatus[]): ComplianceState {
  if (statuses.some(({ is_compliant }) => is_compliant === false)) return 'NON-COMPLIANT'
  return statuses.some(({ status }) => status === 'MISSING') ? 'INCOMPLETE' : 'COMPLIANT'
}

// A known failure outweighs missing evidence.
function worst(states: ComplianceState[]): ComplianceState {
  if (states.includes('NON-COMPLIANT')) return 'NON-COMPLIANT'
  return states.includes('INCOMPLETE') ? 'INCOMPLETE' : 'COMPLIANT'
}
