// Which attestations of an artifact and its trail an attestation rule speaks of.

import { storedType } from '../attestation/types.ts'
import { ANY_TYPE } from '../template/template.ts'
import type { AttestationFact } from './decision.ts'
import { ANY_NAME, type AttestationRule } from './policy.ts'

export function matchingFacts(rule: AttestationRule, facts: readonly AttestationFact[]): AttestationFact[] {
  return facts.filter(
    fact =>
      (rule.name === ANY_NAME || rule.name === fact.name) &&
      fitsType(rule.type, fact.type) &&
      (rule.for_control === null || rule.for_control === fact.control),
  )
}

// A control has one answer, the last one given, on the artifact or on its trail.
export function latestDecision(decisions: readonly AttestationFact[]): AttestationFact[] {
  let latest: AttestationFact | undefined
  for (const decision of decisions) {
    if (!latest || decision.attestation_id > latest.attestation_id) latest = decision
  }
  return latest ? [latest] : []
}

function fitsType(wanted: string, type: string): boolean {
  return wanted === ANY_TYPE || wanted === type || storedType(wanted) === type
}
