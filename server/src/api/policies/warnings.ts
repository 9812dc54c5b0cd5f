// Warnings about valid rules of a policy that are probably not intended, by field.
import type { Db } from '../../db/database.ts'
import { lint, type Use } from '../../domain/policy/expression/lint.ts'
import { parseExpression } from '../../domain/policy/expression/parser.ts'
import type { Policy, Requirement } from '../../domain/policy/policy.ts'
import { listKnownTypes } from '../custom-attestation-types/store.ts'

export interface PolicyWarning {
  field: string
  expression: string
  column: number
  message: string
}

export async function listPolicyWarnings(db: Db, org_id: string, policy: Policy): Promise<PolicyWarning[]> {
  const known = await listKnownTypes(db, org_id, listCustomTypes(policy))
  return [...listExpressionWarnings(policy), ...listUnknownTypeWarnings(policy, known)]
}

function listExpressionWarnings({ artifacts }: Policy): PolicyWarning[] {
  const { provenance, trail_compliance, attestations } = artifacts
  return [
    ...lintExceptions('policy.artifacts.provenance', provenance),
    ...lintExceptions('policy.artifacts.trail-compliance', trail_compliance),
    ...attestations.flatMap(({ if_condition }, i) =>
      lintExpression(`policy.artifacts.attestations[${i}].if`, if_condition?.text, 'condition'),
    ),
  ]
}

const CUSTOM = 'custom:'

/** The names of the custom types that a policy requires. */
function listCustomTypes({ artifacts }: Policy): string[] {
  const types = artifacts.attestations.map(({ type }) => type).filter(type => type.startsWith(CUSTOM))
  return [...new Set(types.map(type => type.slice(CUSTOM.length)))]
}

function listUnknownTypeWarnings({ artifacts }: Policy, known: ReadonlySet<string>): PolicyWarning[] {
  return artifacts.attestations.flatMap(({ type }, i) => {
    if (!type.startsWith(CUSTOM) || known.has(type.slice(CUSTOM.length))) return []
    const name = type.slice(CUSTOM.length)
    return [
      {
        field: `policy.artifacts.attestations[${i}].type`,
        expression: type,
        column: 1,
        message: `The custom attestation type '${name}' does not exist; nothing can satisfy the rule until it is created`,
      },
    ]
  })
}

function lintExceptions(field: string, { exceptions }: Requirement): PolicyWarning[] {
  return exceptions.flatMap(({ if_condition }, i) =>
    lintExpression(`${field}.exceptions[${i}].if`, if_condition.text, 'exception'),
  )
}

function lintExpression(field: string, expression: string | undefined, use: Use): PolicyWarning[] {
  if (expression === undefined) return []
  const parsed = parseExpression(expression)
  // Stored expressions were parsed before, so this cannot happen.
  if (!parsed.ok) return []
  return lint(parsed.expression, use).map(({ offset, sentence }) => ({
    field,
    expression,
    column: offset + 1,
    message: sentence,
  }))
}
