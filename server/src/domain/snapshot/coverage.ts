// Computes how much of what ran at a moment was covered, from the records up to then. What is not known is never
// covered.

/** An environment at a moment: its snapshot and what else was known. */
export interface EnvironmentAt {
  compliant: boolean | null
  compliant_count: number
  non_compliant_count: number
  unknown_count: number
  has_policies: boolean
  is_partial: boolean
  /** Null if unknown. */
  is_stale: boolean | null
  /** How many of its artifacts a flow had reported. */
  with_provenance: number
}

interface EnvironmentFigures {
  compliant: number
  non_compliant: number
  stale: number
  unknown: number
}

interface ArtifactFigures {
  total: number
  compliant: number
  non_compliant: number
  unknown: number
  without_policy: number
}

interface ProvenanceFigures {
  with_provenance: number
  without_provenance: number
  unknown: number
}

export interface Coverage {
  environments: EnvironmentFigures
  artifacts: ArtifactFigures
  provenance: ProvenanceFigures
}

/** Null if no environment had reported yet. */
export function countCoverage(environments: readonly EnvironmentAt[]): Coverage | null {
  if (environments.length === 0) return null
  const coverage: Coverage = {
    environments: { compliant: 0, non_compliant: 0, stale: 0, unknown: 0 },
    artifacts: { total: 0, compliant: 0, non_compliant: 0, unknown: 0, without_policy: 0 },
    provenance: { with_provenance: 0, without_provenance: 0, unknown: 0 },
  }
  for (const environment of environments) {
    coverage.environments[computeState(environment)] += 1
    addArtifacts(coverage.artifacts, environment)
    addProvenance(coverage.provenance, environment)
  }
  return coverage
}

/** A violation remains a violation in a stale environment. */
function computeState({ compliant, is_stale }: EnvironmentAt): keyof EnvironmentFigures {
  if (compliant === false) return 'non_compliant'
  if (is_stale === true) return 'stale'
  return compliant === true && is_stale === false ? 'compliant' : 'unknown'
}

function addArtifacts(figures: ArtifactFigures, environment: EnvironmentAt): void {
  const { compliant_count, non_compliant_count, unknown_count, has_policies } = environment
  const isCertain = isWhatRuns(environment)
  figures.total += countArtifacts(environment)
  figures.compliant += isCertain ? compliant_count : 0
  figures.non_compliant += non_compliant_count
  figures.unknown += (isCertain ? 0 : compliant_count) + (has_policies ? unknown_count : 0)
  figures.without_policy += has_policies ? 0 : unknown_count
}

function addProvenance(figures: ProvenanceFigures, environment: EnvironmentAt): void {
  const { with_provenance } = environment
  figures[isWhatRuns(environment) ? 'with_provenance' : 'unknown'] += with_provenance
  figures.without_provenance += countArtifacts(environment) - with_provenance
}

const countArtifacts = ({ compliant_count, non_compliant_count, unknown_count }: EnvironmentAt) =>
  compliant_count + non_compliant_count + unknown_count

/** Whether the snapshot shows what ran at the moment. */
const isWhatRuns = ({ is_stale, is_partial }: EnvironmentAt) => is_stale === false && !is_partial

/** A part as a share of all; null if there is nothing to share. */
export function computeShare(part: number, all: number): number | null {
  return all === 0 ? null : part / all
}
