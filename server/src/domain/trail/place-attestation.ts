// Decides which slots of a trail an attestation fills: the trail's own, those of one artifact, or those of every
// artifact of a name that was built from the same commit.
import { TRAIL_SUBJECT } from './subject.ts'

export interface ReportedAttestation {
  attestation_id: string
  attestation_name: string
  attestation_type: string
  /** For an override, the type of the attestation that it overrides. */
  counts_as_type: string
  is_compliant: boolean
  artifact_fingerprint: string | null
  target_artifacts: readonly string[]
  git_commit: string | null
}

export interface Build {
  artifact_id: string
  template_reference_name: string
  fingerprint: string
  git_commit: string | null
}

/** The attestation that counts for a name, on the trail or on one artifact. */
export interface Slot {
  /** `TRAIL_SUBJECT` for the trail itself. */
  artifact_id: string
  attestation_name: string
  attestation_id: string
  counts_as_type: string
  is_compliant: boolean
  overridden_attestation_id: string | null
}

export interface TrailContent {
  builds: readonly Build[]
  slots: readonly Slot[]
}

export type Placement =
  | { result: 'unknown_artifact' }
  /** An override that names an artifact, although only the trail has the attestation. */
  | { result: 'misdirected' }
  | {
      result: 'placed'
      /** The artifact that the report names by its fingerprint. */
      artifact: Build | null
      slots: Slot[]
    }

export function placeAttestation({ builds, slots }: TrailContent, report: ReportedAttestation): Placement {
  const named = builds.filter(({ fingerprint }) => fingerprint === report.artifact_fingerprint)
  const artifact = findNewest(named)
  if (report.artifact_fingerprint !== null && !artifact) return { result: 'unknown_artifact' }
  const isOverride = report.attestation_type === 'override'
  const sameName = slots.filter(({ attestation_name }) => attestation_name === report.attestation_name)
  const findSlot = (artifact_id: string) => sameName.find(slot => slot.artifact_id === artifact_id)
  if (isOverride && artifact && findSlot(TRAIL_SUBJECT) && !named.some(build => findSlot(build.artifact_id)))
    return { result: 'misdirected' }
  return {
    result: 'placed',
    artifact: artifact ?? null,
    slots: listTargets(builds, named, report).map(artifact_id => ({
      artifact_id,
      attestation_name: report.attestation_name,
      attestation_id: report.attestation_id,
      counts_as_type: report.counts_as_type,
      is_compliant: report.is_compliant,
      overridden_attestation_id: (isOverride && findSlot(artifact_id)?.attestation_id) || null,
    })),
  }
}

/** Ids of artifacts, or `TRAIL_SUBJECT`. Empty for artifacts by name that have not been built yet. */
function listTargets(
  builds: readonly Build[],
  named: readonly Build[],
  { target_artifacts, git_commit }: ReportedAttestation,
): string[] {
  if (named.length > 0) return named.map(({ artifact_id }) => artifact_id)
  if (target_artifacts.length === 0) return [TRAIL_SUBJECT]
  return builds
    .filter(build => git_commit !== null && build.git_commit === git_commit)
    .filter(build => target_artifacts.includes(build.template_reference_name))
    .map(({ artifact_id }) => artifact_id)
}

/** Ids grow with time. */
function findNewest(builds: readonly Build[]): Build | undefined {
  return builds.toSorted((a, b) => (a.artifact_id < b.artifact_id ? 1 : -1))[0]
}

/** The slots afterwards: the last attestation of each name and target counts. */
export function fillWith(slots: readonly Slot[], filled: readonly Slot[]): Slot[] {
  const byKey = new Map(
    [...slots, ...filled].map(slot => [`${slot.artifact_id}/${slot.attestation_name}`, slot]),
  )
  return [...byKey.values()]
}
