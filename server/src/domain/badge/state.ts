// Decides what a badge shows. It is green only for a verdict that is known now; anything doubtful is unknown.
import { computeCurrentVerdict, type EnvironmentState, isStale } from '../snapshot/staleness.ts'
import type { ComplianceState } from '../trail/evaluate.ts'

export type BadgeState = EnvironmentState

/** The inputs of an environment badge. */
export interface WatchedEnvironment {
  state: boolean | null
  stale_at: Date | null
  is_archived: boolean
}

export function decideEnvironmentBadge(
  { state, stale_at, is_archived }: WatchedEnvironment,
  now: Date,
): BadgeState {
  if (is_archived) return 'unknown'
  const verdict = computeCurrentVerdict(state, stale_at, now)
  if (verdict === false) return 'non-compliant'
  if (isStale(stale_at, now)) return 'stale'
  return verdict === true ? 'compliant' : 'unknown'
}

/** The input of a flow badge: its newest trail. */
export interface WatchedFlow {
  /** Null if the flow has no trail. */
  latest_state: ComplianceState | null
  is_archived: boolean
}

/** A trail that still lacks evidence is neither compliant nor non-compliant. */
export function decideFlowBadge({ latest_state, is_archived }: WatchedFlow): BadgeState {
  if (is_archived) return 'unknown'
  if (latest_state === 'COMPLIANT') return 'compliant'
  return latest_state === 'NON-COMPLIANT' ? 'non-compliant' : 'unknown'
}

/** The gate's answer for one artifact in an environment. */
export interface Gate {
  compliant: boolean
  /** Whether any policy was evaluated. */
  has_policies: boolean
  is_allow_listed: boolean
  environment_is_stale: boolean
}

/** Without a policy nothing is evaluated. In a stale environment nobody knows what is running. */
export function decideGateBadge(gate: Gate | undefined): BadgeState {
  if (!gate) return 'unknown'
  if (!gate.compliant) return 'non-compliant'
  if (!gate.has_policies && !gate.is_allow_listed) return 'unknown'
  return gate.environment_is_stale ? 'stale' : 'compliant'
}
