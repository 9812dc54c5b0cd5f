// How verdicts add up: artifacts to an environment, environments to a logical one. True is compliant, false is
// not, null is unknown.

export type Verdict = boolean | null

export interface ComplianceCount {
  true: number
  false: number
  null: number
}

// A known failure outweighs what is unknown. About nothing at all nothing is known.
export function combineVerdicts(states: readonly Verdict[]): Verdict {
  if (states.includes(false)) return false
  return states.length === 0 || states.includes(null) ? null : true
}

// Without policies nothing is asked, so nothing can be said; with policies nothing that runs is nothing that fails.
export function computeEnvironmentState(
  artifact_verdicts: readonly Verdict[],
  has_policies: boolean,
): Verdict {
  if (!has_policies) return null
  return artifact_verdicts.length === 0 ? true : combineVerdicts(artifact_verdicts)
}

export function computeLogicalState(members: readonly Verdict[]): Verdict {
  return combineVerdicts(members)
}

export function countCompliance(verdicts: readonly Verdict[]): ComplianceCount {
  const count = { true: 0, false: 0, null: 0 }
  for (const verdict of verdicts) count[`${verdict}`]++
  return count
}
