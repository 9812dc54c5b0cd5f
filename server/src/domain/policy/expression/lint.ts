// Warnings about expressions that are valid but probably not intended. They never reject a policy.

import { isNumeric } from './compare.ts'
import { type Compare, type Expression, formatReference, listChildren, type Matches } from './expression.ts'

export interface Warning {
  offset: number
  sentence: string
}

// The context of a part of an expression: which names surely have a value, and whether it is negated.
interface Surroundings {
  present: ReadonlySet<string>
  isNegated: boolean
  use: Use
}

/** In a condition (`if` of a rule) a missing value makes the rule apply; in an exception it waives nothing. */
export type Use = 'condition' | 'exception'

export function lint(expression: Expression, use: Use): Warning[] {
  return listWarnings(expression, { present: new Set(), isNegated: false, use })
}

function listWarnings(expression: Expression, around: Surroundings): Warning[] {
  const own = [
    ...listAbsenceWarnings(expression, around),
    ...(expression.kind === 'compare' ? listTypeWarnings(expression) : []),
    ...(expression.kind === 'matches' ? listAnchorWarnings(expression) : []),
  ]
  const isNegated = expression.kind === 'not' ? !around.isNegated : around.isNegated
  const inside = { present: computePresent(expression, around), isNegated, use: around.use }
  return [...own, ...listChildren(expression).flatMap(child => listWarnings(child, inside))]
}

// `exists(x) and …` implies that x is present, and so does `not exists(x) or …`.
function computePresent(expression: Expression, { present }: Surroundings): ReadonlySet<string> {
  if (expression.kind !== 'and' && expression.kind !== 'or') return present
  const found = expression.operands.flatMap(operand => {
    const tested = expression.kind === 'or' ? (operand.kind === 'not' ? operand.operand : undefined) : operand
    return tested?.kind === 'exists' ? [formatReference(tested.argument)] : []
  })
  return found.length === 0 ? present : new Set([...present, ...found])
}

function listAbsenceWarnings(expression: Expression, around: Surroundings): Warning[] {
  const { present, isNegated, use } = around
  // An exception for an equal value is clearly not meant for a missing one.
  const isIntended = use === 'exception' && !isNegative(expression) && !isNegated
  if (isIntended || !isComparing(expression)) return []
  return listChildren(expression).flatMap(operand => {
    // A rule whose condition requires a flow does not apply without one, so only tags can be missing.
    const isFlowName = operand.kind === 'reference' && operand.name === 'flow.name' && use === 'exception'
    if (operand.kind !== 'tag' && !isFlowName) return []
    const name = formatReference(operand)
    if (present.has(name) || (isFlowName && present.has('flow'))) return []
    return [{ offset: operand.offset, sentence: describeAbsence(name, use) }]
  })
}

function describeAbsence(name: string, use: Use): string {
  return use === 'condition'
    ? `If ${name} is not set, the rule applies; write 'not exists(${name}) or ...' to make that explicit, or 'exists(${name}) and ...' if it should not apply there`
    : `If ${name} is not set, this excepts nothing; write 'exists(${name}) and ...' to make that explicit, or 'not exists(${name}) or ...' if it should except that as well`
}

function isNegative(expression: Expression): boolean {
  return expression.kind === 'compare'
    ? expression.operator === '!='
    : expression.kind === 'membership' && expression.negated
}

function isComparing({ kind }: Expression): boolean {
  return kind === 'compare' || kind === 'membership' || kind === 'matches'
}

function listTypeWarnings({ operator, left, right, offset }: Compare): Warning[] {
  const name = [left, right].find(side => side.kind === 'tag' || side.kind === 'reference')
  const literal = [left, right].find(side => side.kind === 'literal')
  if (!name || literal?.kind !== 'literal') return []
  const { value } = literal
  if (typeof value === 'boolean') {
    return [{ offset, sentence: `A name is text and never equals ${value}; compare it with '${value}'` }]
  }
  const isOrdered = operator !== '==' && operator !== '!='
  return isOrdered && typeof value === 'string' && isNumeric(value)
    ? [{ offset, sentence: `Two texts are compared letter by letter; write ${value} without quotes` }]
    : []
}

function listAnchorWarnings({ pattern, offset }: Matches): Warning[] {
  return /^(\(\?[a-z]+\))?(\^|\\A)/.test(pattern)
    ? []
    : [{ offset, sentence: "The pattern matches anywhere in the text; start it with '^' to anchor it" }]
}
