// What is legal in a policy but probably not meant, by the field it stands in.
import { lint } from '../../domain/policy/expression/lint.ts'
import { parseExpression } from '../../domain/policy/expression/parser.ts'
import type { Policy, Requirement } from '../../domain/policy/policy.ts'

export interface PolicyWarning {
  field: string
  expression: string
  column: number
  message: string
}

export function warningsOf({ artifacts }: Policy): PolicyWarning[] {
  const { provenance, trail_compliance, attestations } = artifacts
  return [
    ...inExceptions('policy.artifacts.provenance', provenance),
    ...inExceptions('policy.artifacts.trail-compliance', trail_compliance),
    ...attestations.flatMap(({ if_condition }, i) =>
      inExpression(`policy.artifacts.attestations[${i}].if`, if_condition?.text),
    ),
  ]
}

function inExceptions(field: string, { exceptions }: Requirement): PolicyWarning[] {
  return exceptions.flatMap(({ if_condition }, i) =>
    inExpression(`${field}.exceptions[${i}].if`, if_condition.text),
  )
}

function inExpression(field: string, expression: string | undefined): PolicyWarning[] {
  if (expression === undefined) return []
  const parsed = parseExpression(expression)
  // What is stored was read once before.
  if (!parsed.ok) return []
  return lint(parsed.expression).map(({ offset, sentence }) => ({
    field,
    expression,
    column: offset + 1,
    message: sentence,
  }))
}
