// Warnings about expressions that are legal but probably not what was meant. Nothing is refused for them.

import { looksNumeric } from './compare.ts'
import { type Compare, childrenOf, type Expression, type Matches, referenceText } from './expression.ts'

export interface Warning {
  offset: number
  sentence: string
}

// What the surroundings of a part say about it: which names surely have a value there, and whether it is negated.
interface Surroundings {
  present: ReadonlySet<string>
  isNegated: boolean
}

export function lint(expression: Expression): Warning[] {
  return warningsIn(expression, { present: new Set(), isNegated: false })
}

function warningsIn(expression: Expression, around: Surroundings): Warning[] {
  const own = [
    ...absenceWarnings(expression, around),
    ...(expression.kind === 'compare' ? typeWarnings(expression) : []),
    ...(expression.kind === 'matches' ? anchorWarnings(expression) : []),
  ]
  const isNegated = expression.kind === 'not' ? !around.isNegated : around.isNegated
  const inside = { present: presentIn(expression, around), isNegated }
  return [...own, ...childrenOf(expression).flatMap(child => warningsIn(child, inside))]
}

// `exists(x) and …` knows that x is there, and so does `not exists(x) or …`.
function presentIn(expression: Expression, { present }: Surroundings): ReadonlySet<string> {
  if (expression.kind !== 'and' && expression.kind !== 'or') return present
  const found = expression.operands.flatMap(operand => {
    const asked = expression.kind === 'or' ? (operand.kind === 'not' ? operand.operand : undefined) : operand
    return asked?.kind === 'exists' ? [referenceText(asked.argument)] : []
  })
  return found.length === 0 ? present : new Set([...present, ...found])
}

function absenceWarnings(expression: Expression, { present, isNegated }: Surroundings): Warning[] {
  if (!isNegative(expression) && !(isNegated && isComparing(expression))) return []
  return childrenOf(expression).flatMap(operand => {
    const isFlowName = operand.kind === 'reference' && operand.name === 'flow.name'
    if (operand.kind !== 'tag' && !isFlowName) return []
    const name = referenceText(operand)
    if (present.has(name) || (isFlowName && present.has('flow'))) return []
    const sentence = `${name} may be absent; say what then holds with 'exists(${name}) and ...'`
    return [{ offset: operand.offset, sentence }]
  })
}

function isNegative(expression: Expression): boolean {
  return expression.kind === 'compare'
    ? expression.operator === '!='
    : expression.kind === 'membership' && expression.negated
}

function isComparing({ kind }: Expression): boolean {
  return kind === 'compare' || kind === 'membership' || kind === 'matches'
}

function typeWarnings({ operator, left, right, offset }: Compare): Warning[] {
  const name = [left, right].find(side => side.kind === 'tag' || side.kind === 'reference')
  const literal = [left, right].find(side => side.kind === 'literal')
  if (!name || literal?.kind !== 'literal') return []
  const { value } = literal
  if (typeof value === 'boolean') {
    return [{ offset, sentence: `A name holds text and never equals ${value}; compare it with '${value}'` }]
  }
  const isOrdered = operator !== '==' && operator !== '!='
  return isOrdered && typeof value === 'string' && looksNumeric(value)
    ? [{ offset, sentence: `Two texts are ordered letter by letter; write ${value} without quotes` }]
    : []
}

function anchorWarnings({ pattern, offset }: Matches): Warning[] {
  return /^(\(\?[a-z]+\))?(\^|\\A)/.test(pattern)
    ? []
    : [{ offset, sentence: "The pattern is looked for anywhere in the text; start it with '^' to bind it" }]
}
