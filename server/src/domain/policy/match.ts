// Finds the attestations of an artifact and its trail that an attestation rule applies to.

import { toStoredType } from '../attestation/types.ts'
import { ANY_TYPE } from '../template/template.ts'
import type { AttestationFact } from './decision.ts'
import { ANY_NAME, type AttestationRule } from './policy.ts'

export function findMatchingFacts(
  rule: AttestationRule,
  facts: readonly AttestationFact[],
): AttestationFact[] {
  return facts.filter(
    fact =>
      (rule.name === ANY_NAME || rule.name === fact.name) &&
      isTypeMatch(rule.type, fact.type) &&
      (rule.for_control === null || rule.for_control === fact.control),
  )
}

// Only the latest decision on a control counts, whether on the artifact or on its trail. When it expires, an earlier one
// does not count again.
export function findLatestDecision(decisions: readonly AttestationFact[]): AttestationFact[] {
  let latest: AttestationFact | undefined
  for (const decision of decisions) {
    if (!latest || decision.attestation_id > latest.attestation_id) latest = decision
  }
  return latest ? [latest] : []
}

// Whether it no longer counts.
export function isExpired({ expires_at }: Pick<AttestationFact, 'expires_at'>, now: Date): boolean {
  return expires_at !== null && expires_at * 1000 <= now.getTime()
}

function isTypeMatch(required: string, type: string): boolean {
  return required === ANY_TYPE || required === type || toStoredType(required) === type
}
