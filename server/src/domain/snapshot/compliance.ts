// Combines verdicts: of artifacts into an environment's, of environments into a logical environment's. True is
// compliant, false is non-compliant, null is unknown.

export type Verdict = boolean | null

// A failure outweighs unknown verdicts. No verdicts at all are unknown.
export function combineVerdicts(states: readonly Verdict[]): Verdict {
  if (states.includes(false)) return false
  return states.length === 0 || states.includes(null) ? null : true
}

// Without policies the state is unknown; with policies an environment without running artifacts is compliant.
export function computeEnvironmentState(
  artifact_verdicts: readonly Verdict[],
  has_policies: boolean,
): Verdict {
  if (!has_policies) return null
  return artifact_verdicts.length === 0 ? true : combineVerdicts(artifact_verdicts)
}

/** Something that the reporter did not see may be running, so a partial view turns compliant into unknown. */
export function limitToView(verdict: Verdict, is_partial: boolean): Verdict {
  return is_partial && verdict === true ? null : verdict
}

export function computeLogicalState(members: readonly Verdict[]): Verdict {
  return combineVerdicts(members)
}
