// Prepares a stored policy for evaluation: each expression is parsed once instead of once per artifact. Also returns
// its rules as they are shown next to their evaluations, in the same order.

import { type Expression, hasFlowReference } from './expression/expression.ts'
import { parseExpression } from './expression/parser.ts'
import type { AttestationRule, ExpressionText, Policy, Requirement } from './policy.ts'

export interface CompiledRequirement {
  required: boolean
  exceptions: Expression[]
}

export interface CompiledRule {
  rule: AttestationRule
  condition: Expression | null
  needs_flow: boolean
}

export interface CompiledPolicy {
  provenance: CompiledRequirement
  trail_compliance: CompiledRequirement
  attestations: CompiledRule[]
}

interface RequirementDefinition {
  required: boolean
  exceptions: { if: ExpressionText }[]
}

interface AttestationDefinition {
  if: ExpressionText | null
  name: string
  type: string
  must_be_compliant: boolean
  for_control: string | null
}

export type RuleDefinition =
  | { type: 'provenance' | 'trail-compliance'; definition: RequirementDefinition }
  | { type: 'attestation'; definition: AttestationDefinition }

export function compilePolicy({ artifacts }: Policy): CompiledPolicy {
  return {
    provenance: compileRequirement(artifacts.provenance),
    trail_compliance: compileRequirement(artifacts.trail_compliance),
    attestations: artifacts.attestations.map(rule => {
      const condition = rule.if_condition ? compileExpression(rule.if_condition) : null
      return { rule, condition, needs_flow: condition !== null && hasFlowReference(condition) }
    }),
  }
}

export function listRuleDefinitions({ artifacts }: Policy): RuleDefinition[] {
  return [
    { type: 'provenance', definition: defineRequirement(artifacts.provenance) },
    { type: 'trail-compliance', definition: defineRequirement(artifacts.trail_compliance) },
    ...artifacts.attestations.map(
      ({ if_condition, ...rest }): RuleDefinition => ({
        type: 'attestation',
        definition: { if: if_condition, ...rest },
      }),
    ),
  ]
}

function compileRequirement({ required, exceptions }: Requirement): CompiledRequirement {
  return { required, exceptions: exceptions.map(({ if_condition }) => compileExpression(if_condition)) }
}

// The text was parsed before it was stored, so a failure here is a bug, not a user error.
function compileExpression({ text }: ExpressionText): Expression {
  const parsed = parseExpression(text)
  if (!parsed.ok) throw new Error(`stored expression does not parse: ${parsed.problem.sentence}`)
  return parsed.expression
}

function defineRequirement({ required, exceptions }: Requirement): RequirementDefinition {
  return { required, exceptions: exceptions.map(({ if_condition }) => ({ if: if_condition })) }
}
