// Decides whether a control is met in an environment, from the verdicts on the artifacts running there. Only evidence
// makes it met: whatever is not known to be met is unknown.

export const CONTROL_STATES = ['met', 'failing', 'expired', 'unknown', 'not-required'] as const
type ControlState = (typeof CONTROL_STATES)[number]

/** Why a state is unknown, in order of precedence. */
export const UNKNOWN_CAUSES = ['never-reported', 'stale', 'partial', 'not-evaluated'] as const
type UnknownCause = (typeof UNKNOWN_CAUSES)[number]

/** How one artifact fares under the rules for a control. */
export const CONTROL_OUTCOMES = ['failing', 'expired', 'not-evaluated', 'met', 'not-applicable'] as const
export type ControlOutcome = (typeof CONTROL_OUTCOMES)[number]

export type OutcomeCounts = Readonly<Record<ControlOutcome, number>>

export interface ControlFacts {
  /** Whether a policy in force has a rule for the control. */
  is_required: boolean
  has_reported: boolean
  is_stale: boolean
  /** Whether the reporter could not see everything. */
  is_partial: boolean
  /** Whether an evaluation has been waiting for so long that newer evidence may contradict the verdict. */
  is_overdue: boolean
  artifacts: OutcomeCounts
}

export interface ControlVerdict {
  state: ControlState
  /** Null unless the state is unknown. */
  unknown_because: UnknownCause | null
}

/** How long an evaluation may wait before its verdict no longer counts as met. It usually takes less than a second. */
const EVALUATION_GRACE_MS = 60_000

/**
 * A failure stays a failure, whatever else is missing. So does an expired decision, unless something else fails too.
 * A rule that applies to none of the running artifacts requires nothing. An allow-list entry permits an artifact to
 * run; it is not evidence, so it changes nothing here.
 */
export function computeControlState(facts: ControlFacts): ControlVerdict {
  if (!facts.is_required) return { state: 'not-required', unknown_because: null }
  if (facts.artifacts.failing > 0) return { state: 'failing', unknown_because: null }
  if (facts.artifacts.expired > 0) return { state: 'expired', unknown_because: null }
  const unknown_because = findUnknownCause(facts)
  if (unknown_because !== null) return { state: 'unknown', unknown_because }
  return { state: facts.artifacts.met > 0 ? 'met' : 'not-required', unknown_because: null }
}

function findUnknownCause(facts: ControlFacts): UnknownCause | null {
  if (!facts.has_reported) return 'never-reported'
  if (facts.is_stale) return 'stale'
  if (facts.is_partial) return 'partial'
  return facts.is_overdue || facts.artifacts['not-evaluated'] > 0 ? 'not-evaluated' : null
}

/** `waiting_since`: when the oldest pending evaluation was requested; null if none is pending. */
export function isOverdue(waiting_since: Date | null, now: Date): boolean {
  return waiting_since !== null && waiting_since < computeOverdueBefore(now)
}

/** An evaluation that was requested before this is overdue. */
export const computeOverdueBefore = (now: Date): Date => new Date(now.getTime() - EVALUATION_GRACE_MS)

export const NO_ARTIFACTS: OutcomeCounts = {
  failing: 0,
  expired: 0,
  'not-evaluated': 0,
  met: 0,
  'not-applicable': 0,
}
