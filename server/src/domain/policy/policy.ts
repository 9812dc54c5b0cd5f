// A parsed policy. It is stored and returned as is (`policy_dump`), so it is plain JSON: expressions are kept as
// text, without their wrapper.

export interface ExpressionText {
  text: string
}

export interface Requirement {
  required: boolean
  exceptions: { if_condition: ExpressionText }[]
}

export interface AttestationRule {
  if_condition: ExpressionText | null
  name: string
  type: string
  must_be_compliant: boolean
  for_control: string | null
}

export interface Policy {
  schema_version: '1'
  artifacts: {
    provenance: Requirement
    trail_compliance: Requirement
    attestations: AttestationRule[]
  }
}

export const MAX_RULES = 1_000
export const MAX_EXCEPTIONS = 100
export const ANY_NAME = '*'
export const DECISION_TYPE = 'decision'

// Each control once, in the order in which the rules name them.
export function listNamedControls(policy: Policy): string[] {
  const named = policy.artifacts.attestations.flatMap(({ for_control }) => for_control ?? [])
  return [...new Set(named)]
}
