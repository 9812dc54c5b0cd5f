// Why a snapshot was taken, and which expired decisions caused it.
import type { Reason, RuleEvaluation } from '../policy/decision.ts'

/** If several things happened since the last evaluation, the first of these is named. */
const CAUSES = ['policies', 'allow-list', 'members', 'report', 'expired-decision', 'evidence'] as const
export type Cause = (typeof CAUSES)[number]

/** How many expired decisions a snapshot names at most; the reasons of its artifacts name all. */
export const MAX_EXPIRED_DECISIONS = 20

/** With the names from when the snapshot was taken. */
export interface ExpiredDecision {
  decision_id: string
  attestation_name: string | null
  control: string | null
  flow_name: string | null
  trail_name: string | null
  /** In epoch seconds. */
  expires_at: number
}

interface Evaluated {
  decisions: readonly { policy_name: string; rules: readonly RuleEvaluation[] }[]
  reasons: readonly Reason[]
}

export function pickCause(causes: readonly string[]): Cause {
  return CAUSES.find(cause => causes.includes(cause)) ?? 'evidence'
}

/** The decisions whose expiry makes these artifacts fail, each once, earliest expiry first. */
export function listExpiredDecisions(evaluations: readonly Evaluated[]): ExpiredDecision[] {
  const found = new Map<string, ExpiredDecision>()
  for (const { decisions, reasons } of evaluations) {
    for (const { type, context } of decisions.flatMap(({ rules }) =>
      rules.flatMap(rule => rule.resolutions),
    )) {
      if (type !== 'expired_decision') continue
      const { flow_name, trail_name, for_control: control = null, expires_at = 0 } = context
      const reason = reasons.find(
        each =>
          each.type === type &&
          each.flow_name === flow_name &&
          each.trail_name === trail_name &&
          each.for_control === control,
      )
      const attestation_name = reason?.attestation_name ?? null
      for (const decision_id of context.attestation_ids ?? [])
        found.set(decision_id, { decision_id, attestation_name, control, flow_name, trail_name, expires_at })
    }
  }
  const sorted = [...found.values()].sort(
    (a, b) => a.expires_at - b.expires_at || a.decision_id.localeCompare(b.decision_id),
  )
  return sorted.slice(0, MAX_EXPIRED_DECISIONS)
}
