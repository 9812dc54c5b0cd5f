// Why it is not known whether an environment, or an artifact there, is compliant now. Unknown is not compliant, whatever
// the fields say that existing clients read.
import { isOverdue } from '../control/state.ts'
import type { Verdict } from './compliance.ts'
import { isStale } from './staleness.ts'

/** In order of precedence. */
export const UNKNOWN_CAUSES = [
  'no-members',
  'never-reported',
  'stale',
  'no-policies',
  'partial',
  'not-evaluated',
  'unknown-member',
] as const
export type UnknownCause = (typeof UNKNOWN_CAUSES)[number]

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'no-members': 'it combines no environments',
  'never-reported': 'nothing was reported yet',
  stale: 'the last report is too old',
  'no-policies': 'no policy is attached, so nothing was checked',
  partial: 'the last report was partial',
  'not-evaluated': 'an evaluation has waited for more than a minute',
  'unknown-member': 'one of its members is unknown',
} satisfies Record<UnknownCause, string>

/** In the middle of a sentence. A later version of the service may know other causes. */
export function explainUnknown(because: string | null | undefined): string {
  return EXPLANATIONS[because ?? ''] ?? 'the service does not say why'
}

/** For people: the verdict, and why it is not known. */
export function describeVerdict(verdict: Verdict, unknown_because: UnknownCause | null): string {
  if (unknown_because !== null) return `UNKNOWN: ${explainUnknown(unknown_because)}`
  if (verdict === null) return 'UNKNOWN'
  return verdict ? 'COMPLIANT' : 'NON-COMPLIANT'
}

export interface UnknownFacts {
  /** The verdict of the latest evaluation. */
  verdict: Verdict
  has_reported: boolean
  is_stale: boolean
  has_policies: boolean
  is_partial: boolean
  /** Whether an evaluation has been waiting for so long that newer evidence may contradict the verdict. */
  is_overdue: boolean
  /** Of a logical environment, which has no policies of its own; null for others. */
  member_count: number | null
}

/** Null if it is known. A violation that was seen stays one, whatever else is unknown. */
export function findUnknownCause(facts: UnknownFacts): UnknownCause | null {
  const { verdict, member_count } = facts
  if (verdict === false) return null
  if (member_count === 0) return 'no-members'
  if (!facts.has_reported) return 'never-reported'
  if (facts.is_stale) return 'stale'
  if (member_count === null && !facts.has_policies) return 'no-policies'
  if (facts.is_partial) return 'partial'
  if (facts.is_overdue) return 'not-evaluated'
  if (verdict === true) return null
  return member_count === null ? 'not-evaluated' : 'unknown-member'
}

/** An environment as it is stored. */
export interface KnownEnvironment {
  type: string
  state: Verdict
  latest_index: number
  stale_at: Date | null
  partial_since: Date | null
  policies: readonly unknown[]
  included_environments: readonly unknown[]
  /** When the oldest pending evaluation was requested. */
  waiting_since: Date | null
}

export function findUnknownCauseOf(environment: KnownEnvironment, now: Date): UnknownCause | null {
  const { type, state, latest_index, stale_at, partial_since, policies, waiting_since } = environment
  return findUnknownCause({
    verdict: state,
    has_reported: latest_index > 0,
    is_stale: isStale(stale_at, now),
    has_policies: policies.length > 0,
    is_partial: partial_since !== null,
    is_overdue: isOverdue(waiting_since, now),
    member_count: type === 'logical' ? environment.included_environments.length : null,
  })
}

export const ARTIFACT_UNKNOWN_CAUSES = ['no-policies', 'stale'] as const satisfies readonly UnknownCause[]
export type ArtifactUnknownCause = (typeof ARTIFACT_UNKNOWN_CAUSES)[number]

/** The answer of the gate for one artifact. */
export interface Gate {
  compliant: boolean
  /** Whether policies were evaluated, or the artifact is allow-listed, everywhere that was asked about. */
  is_checked: boolean
  environment_is_stale: boolean
}

/** Why `compliant` says more than is known. In a stale environment nobody knows what is running. */
export function findGateUnknownCause(gate: Gate): ArtifactUnknownCause | null {
  if (!gate.compliant) return null
  if (!gate.is_checked) return 'no-policies'
  return gate.environment_is_stale ? 'stale' : null
}
