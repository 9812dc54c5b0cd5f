// Decides what a badge shows. It is green only for a verdict that is known now; anything doubtful is unknown.
import type { EnvironmentState } from '../snapshot/staleness.ts'
import { findUnknownCauseOf, type KnownEnvironment, type UnknownCause } from '../snapshot/unknown.ts'
import type { ComplianceState } from '../trail/evaluate.ts'

export type BadgeState = EnvironmentState

/** The input of an environment badge. */
export interface WatchedEnvironment extends KnownEnvironment {
  is_archived: boolean
}

export function decideEnvironmentBadge(environment: WatchedEnvironment, now: Date): BadgeState {
  if (environment.is_archived) return 'unknown'
  if (environment.state === false) return 'non-compliant'
  return toState(findUnknownCauseOf(environment, now))
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
export interface GateAnswer {
  compliant: boolean
  unknown_because: UnknownCause | null
}

export function decideGateBadge(answer: GateAnswer | undefined): BadgeState {
  if (!answer) return 'unknown'
  return answer.compliant ? toState(answer.unknown_because) : 'non-compliant'
}

function toState(unknown_because: UnknownCause | null): BadgeState {
  if (unknown_because === null) return 'compliant'
  return unknown_because === 'stale' ? 'stale' : 'unknown'
}
