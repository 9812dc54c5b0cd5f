// Adds a reported build to a trail: which builds of its name still count, and which earlier attestations fill its slots.
import type { Slot } from './place-attestation.ts'

export interface ReportedBuild {
  artifact_id: string
  template_reference_name: string
  fingerprint: string
  filename: string
  git_commit: string | null
  report_id: string
  is_declared_compliant: boolean | null
  reported_by: string
  /** Whether earlier builds of the same name no longer count. */
  supersedes_earlier: boolean
}

interface KnownBuild extends Omit<ReportedBuild, 'supersedes_earlier'> {
  is_current: boolean
  /** Null until it is stored. */
  state: string | null
}

/** The builds of the trail afterwards. A build that is reported again keeps its id and state, and counts again. */
export function placeBuild(builds: readonly KnownBuild[], report: ReportedBuild): KnownBuild[] {
  const { supersedes_earlier, ...reported } = report
  const isSameName = (build: KnownBuild) => build.template_reference_name === report.template_reference_name
  const known = builds.find(build => isSameName(build) && build.fingerprint === report.fingerprint)
  const others = builds
    .filter(build => build !== known)
    .map(build => (supersedes_earlier && isSameName(build) ? { ...build, is_current: false } : build))
  const { artifact_id, state } = known ?? { artifact_id: report.artifact_id, state: null }
  return [...others, { ...reported, artifact_id, state, is_current: true }]
}

/**
 * The slots of the artifact that earlier attestations fill: the newest of each name, unless the slot has a newer
 * one.
 */
export function placeEarlier(
  slots: readonly Slot[],
  artifact_id: string,
  earlier: readonly Omit<Slot, 'artifact_id'>[],
): Slot[] {
  const newest = new Map<string, Slot>()
  for (const { attestation_name, ...attestation } of earlier) {
    const current =
      newest.get(attestation_name) ??
      slots.find(slot => slot.artifact_id === artifact_id && slot.attestation_name === attestation_name)
    // Ids grow with time.
    if (current && current.attestation_id >= attestation.attestation_id) continue
    newest.set(attestation_name, { ...attestation, attestation_name, artifact_id })
  }
  return [...newest.values()]
}
