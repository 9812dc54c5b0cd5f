// Evaluates the compliance of a trail and of each artifact on it from template and evidence. The order of the
// evidence never matters: unexpected items are sorted by name.

import type { ArtifactSlot, Template } from '../template/template.ts'
import { type FilledSlots, fillSlots } from './fill-slots.ts'
import {
  explainDeclaredNonCompliant,
  explainEarlierBuild,
  explainMissingArtifact,
  explainNonCompliantArtifact,
} from './reasons.ts'
import type {
  ArtifactEvidence,
  ArtifactStatus,
  AttestationEvidence,
  AttestationStatus,
  BuildStatus,
  ComplianceState,
  Reason,
  TrailEvidence,
  TrailVerdict,
} from './verdict.ts'

export type {
  AttestationEvidence,
  AttestationStatus,
  BuildStatus,
  ComplianceState,
  Reason,
  TrailEvidence,
  TrailVerdict,
} from './verdict.ts'

export function evaluateTrail(template: Template, evidence: TrailEvidence): TrailVerdict {
  const onTrail = fillTrail(template, evidence.attestations)
  const artifacts = evaluateArtifacts(template.trail.artifacts, evidence.artifacts, onTrail)
  const status = findWorst([computeState(onTrail.statuses), ...artifacts.flatMap(({ states }) => states)])
  return {
    status,
    is_compliant: status === 'COMPLIANT',
    attestations_statuses: onTrail.statuses,
    // fromEntries and not assignment: `__proto__` is a valid artifact name.
    artifacts_statuses: Object.fromEntries(artifacts.map(({ name, verdict }) => [name, verdict])),
    reasons: [...onTrail.reasons, ...artifacts.flatMap(artifact => artifact.reasons)],
  }
}

function fillTrail(template: Template, attestations: AttestationEvidence[]): FilledSlots {
  const { expected, unexpected } = fillSlots(template.trail.attestations, attestations, null)
  return {
    statuses: [...expected.statuses, ...unexpected.statuses],
    reasons: [...expected.reasons, ...unexpected.reasons],
  }
}

/** A superseded build keeps its own state and no longer affects the trail. */
export type StoredBuild = ArtifactEvidence & { is_current: boolean }

/** Current builds whose evidence did not change: their distinct states, and which template names are built. */
export interface OtherBuilds {
  states: readonly ComplianceState[]
  names: readonly string[]
}

/** The state of the trail, and of each build in the order given. */
export function computeStates(
  template: Template,
  { attestations, artifacts }: { attestations: AttestationEvidence[]; artifacts: StoredBuild[] },
  others: OtherBuilds = { states: [], names: [] },
): { trail: ComplianceState; artifacts: ComplianceState[] } {
  const onTrail = fillTrail(template, attestations)
  const slots = new Map(template.trail.artifacts.map(slot => [slot.name, slot]))
  const states = artifacts.map(build => {
    const name = build.template_reference_name
    return evaluateBuild(slots.get(name) ?? { name, attestations: [] }, build, onTrail).verdict.status
  })
  const built = new Set([
    ...others.names,
    ...artifacts.filter(build => build.is_current).map(build => build.template_reference_name),
  ])
  const isMissing = template.trail.artifacts.some(({ name }) => !built.has(name))
  return {
    trail: findWorst([
      computeState(onTrail.statuses),
      isMissing ? 'INCOMPLETE' : 'COMPLIANT',
      ...others.states,
      ...states.filter((_, i) => artifacts[i]?.is_current),
    ]),
    artifacts: states,
  }
}

export function computeFreshState(template: Template): ComplianceState {
  return evaluateTrail(template, { attestations: [], artifacts: [] }).status
}

interface EvaluatedArtifact {
  name: string
  verdict: ArtifactStatus
  // One state per build of this name.
  states: ComplianceState[]
  // Reasons that this artifact adds to the trail's; reasons of the trail itself are listed separately.
  reasons: Reason[]
}

function evaluateArtifacts(
  slots: ArtifactSlot[],
  reported: ArtifactEvidence[],
  onTrail: FilledSlots,
): EvaluatedArtifact[] {
  const listBuilds = (name: string) => reported.filter(build => build.template_reference_name === name)
  const expected = new Set(slots.map(slot => slot.name))
  const names = new Set(reported.map(build => build.template_reference_name))
  const unexpected = [...names].filter(name => !expected.has(name)).sort()
  return [
    ...slots.map(slot => evaluateSlot(slot, listBuilds(slot.name), onTrail, false)),
    ...unexpected.map(name => evaluateSlot({ name, attestations: [] }, listBuilds(name), onTrail, true)),
  ]
}

function evaluateSlot(
  slot: ArtifactSlot,
  builds: readonly ArtifactEvidence[],
  onTrail: FilledSlots,
  unexpected: boolean,
): EvaluatedArtifact {
  const [latest, ...earlier] = builds
    .toSorted(compareLatestFirst)
    .map(build => evaluateBuild(slot, build, onTrail))
  if (!latest) return evaluateMissing(slot)
  const { status } = latest.verdict
  return {
    name: slot.name,
    verdict: { ...latest.verdict, unexpected, earlier_builds: earlier.map(({ verdict }) => verdict) },
    states: [latest, ...earlier].map(({ verdict }) => verdict.status),
    reasons: [
      ...(status === 'COMPLIANT'
        ? []
        : [explainNonCompliantArtifact(slot.name, status), ...latest.own_reasons]),
      ...earlier
        .filter(({ verdict }) => !verdict.is_compliant)
        .flatMap(({ build, verdict, own_reasons }) => [
          explainEarlierBuild(build, verdict.status),
          // The fingerprint distinguishes them from equal reasons of the latest build.
          ...own_reasons.map(reason => ({ ...reason, artifact_fingerprint: build.artifact_fingerprint })),
        ]),
    ],
  }
}

interface EvaluatedBuild {
  build: ArtifactEvidence
  verdict: BuildStatus
  // Without the reasons of the trail.
  own_reasons: Reason[]
}

// Requirements of the trail itself apply to each artifact on it, and a failure on the trail fails each artifact.
function evaluateBuild(slot: ArtifactSlot, build: ArtifactEvidence, onTrail: FilledSlots): EvaluatedBuild {
  const { expected, unexpected } = fillSlots(slot.attestations, build.attestations, slot.name)
  const statuses = [...expected.statuses, ...unexpected.statuses]
  const isDeclaredFalse = build.is_declared_compliant === false
  const own_reasons = [
    ...(isDeclaredFalse
      ? [explainDeclaredNonCompliant(slot.name, build.artifact_fingerprint, build.reported_by)]
      : []),
    ...expected.reasons,
    ...unexpected.reasons,
  ]
  const declared: ComplianceState = isDeclaredFalse ? 'NON-COMPLIANT' : 'COMPLIANT'
  const status = findWorst([declared, computeState(statuses), computeState(onTrail.statuses)])
  return {
    build,
    verdict: {
      artifact_fingerprint: build.artifact_fingerprint,
      artifact_id: build.artifact_id,
      status,
      is_compliant: status === 'COMPLIANT',
      attestations_statuses: statuses,
      reasons: [...onTrail.reasons, ...own_reasons],
    },
    own_reasons,
  }
}

function compareLatestFirst(a: ArtifactEvidence, b: ArtifactEvidence): number {
  if (a.report_id === b.report_id) return 0
  return a.report_id < b.report_id ? 1 : -1
}

function evaluateMissing(slot: ArtifactSlot): EvaluatedArtifact {
  const reasons = [explainMissingArtifact(slot.name)]
  return {
    name: slot.name,
    verdict: {
      artifact_fingerprint: null,
      artifact_id: null,
      status: 'MISSING',
      is_compliant: null,
      attestations_statuses: fillSlots(slot.attestations, [], slot.name).expected.statuses,
      unexpected: false,
      reasons,
      earlier_builds: [],
    },
    states: ['INCOMPLETE'],
    reasons,
  }
}

function computeState(statuses: AttestationStatus[]): ComplianceState {
  if (statuses.some(({ is_compliant }) => is_compliant === false)) return 'NON-COMPLIANT'
  return statuses.some(({ status }) => status === 'MISSING') ? 'INCOMPLETE' : 'COMPLIANT'
}

// A failure outweighs missing evidence.
function findWorst(states: ComplianceState[]): ComplianceState {
  if (states.includes('NON-COMPLIANT')) return 'NON-COMPLIANT'
  return states.includes('INCOMPLETE') ? 'INCOMPLETE' : 'COMPLIANT'
}
