// Expression × what is known of one artifact in one flow → true, false, unknown or an error. A comparison with something
// that is missing is unknown, and stays so through and, or, not: a flow without a tag is not a flow with another tag.

import { shownInput } from '../../yaml/problems.ts'
import { compareValues, isEqual, type Scalar, type Value } from './compare.ts'
import {
  type Compare,
  childrenOf,
  type Expression,
  isCondition,
  type Joined,
  type List,
  type Literal,
  type Matches,
  type Membership,
  type Reference,
  referenceText,
  type Tag,
} from './expression.ts'

export interface EvaluationContext {
  flow: { name: string; tags: Readonly<Record<string, string>> } | null
  artifact: { name: string; fingerprint: string }
}

/** Null is unknown. */
export type Evaluation = { value: boolean | null; error?: never } | { error: string; value?: never }

interface Failure {
  error: string
}
type Truth = boolean | null | Failure

const TRUE: Evaluation = Object.freeze({ value: true })
const FALSE: Evaluation = Object.freeze({ value: false })
const UNKNOWN: Evaluation = Object.freeze({ value: null })

export function evaluateExpression(expression: Expression, context: EvaluationContext): Evaluation {
  const truth = truthOf(expression, context)
  if (isFailure(truth)) return truth
  if (truth === null) return UNKNOWN
  return truth ? TRUE : FALSE
}

/** What the expression compares and the context lacks: `flow.tags.env`. */
export function missingReferences(expression: Expression, context: EvaluationContext): string[] {
  const found = new Set<string>()
  const visit = (part: Expression): void => {
    if (part.kind === 'exists') return
    const isName = part.kind === 'reference' || part.kind === 'tag'
    if (isName && plainValue(part, context) === null) found.add(referenceText(part))
    childrenOf(part).forEach(visit)
  }
  visit(expression)
  return [...found]
}

function truthOf(expression: Expression, context: EvaluationContext): Truth {
  switch (expression.kind) {
    case 'and':
      return joined(expression, context, false)
    case 'or':
      return joined(expression, context, true)
    case 'not': {
      const truth = truthOf(expression.operand, context)
      return typeof truth === 'boolean' ? !truth : truth
    }
    case 'exists':
      return doesExist(expression.argument, context)
    case 'compare':
      return compared(expression, context)
    case 'membership':
      return isMember(expression, context)
    case 'matches':
      return matched(expression, context)
    default:
      return expression.kind === 'literal' && typeof expression.value === 'boolean'
        ? expression.value
        : { error: 'Expression gives no condition' }
  }
}

// From left to right. `decisive` settles the whole: false settles `and`, true settles `or`.
function joined({ operands }: Joined, context: EvaluationContext, decisive: boolean): Truth {
  let result: Truth = !decisive
  for (const operand of operands) {
    const truth = truthOf(operand, context)
    if (truth === decisive || isFailure(truth)) return truth
    if (truth === null) result = null
  }
  return result
}

function compared(expression: Compare, context: EvaluationContext): Truth {
  const left = operandOf(expression.left, context)
  if (isFailure(left)) return left
  const right = operandOf(expression.right, context)
  if (isFailure(right)) return right
  if (left === null || right === null) return null
  const truth = compareValues(expression.operator, left, right)
  if (truth !== undefined) return truth
  const [a, b] = [shown(expression.left, left), shown(expression.right, right)]
  return { error: `${a} and ${b} have no order, so '${expression.operator}' cannot compare them` }
}

// `in` is an `or` of `==`, `not in` an `and` of `!=`, so nothing in the list counts as in those.
function isMember({ left, list, negated }: Membership, context: EvaluationContext): Truth {
  const value = operandOf(left, context)
  if (isFailure(value)) return value
  if (value === null) return null
  let lacksOne = false
  for (const item of list.items) {
    const other = plainValue(item, context)
    if (other === null) lacksOne = true
    else if (isEqual(value, other)) return !negated
  }
  return lacksOne ? null : negated
}

function matched({ input, regex }: Matches, context: EvaluationContext): Truth {
  const value = plainValue(input, context)
  return typeof value === 'string' ? regex.test(value) : null
}

function doesExist(argument: Reference | Tag, context: EvaluationContext): boolean {
  if (argument.kind === 'reference' && argument.name === 'flow') return context.flow !== null
  return plainValue(argument, context) !== null
}

function operandOf(operand: Expression, context: EvaluationContext): Value | null | Failure {
  if (operand.kind === 'literal' || operand.kind === 'reference' || operand.kind === 'tag') {
    return plainValue(operand, context)
  }
  return operand.kind === 'list' ? listOf(operand, context) : truthOf(operand, context)
}

// A list that lacks one of its values cannot be compared with anything.
function listOf({ items }: List, context: EvaluationContext): Scalar[] | null {
  const values: Scalar[] = []
  for (const item of items) {
    const value = plainValue(item, context)
    if (value === null) return null
    values.push(value)
  }
  return values
}

function plainValue(
  operand: Literal | Reference | Tag,
  { flow, artifact }: EvaluationContext,
): Scalar | null {
  if (operand.kind === 'literal') return operand.value
  if (operand.kind === 'tag') {
    return flow !== null && Object.hasOwn(flow.tags, operand.key) ? (flow.tags[operand.key] ?? null) : null
  }
  if (operand.name === 'artifact.name') return artifact.name
  if (operand.name === 'artifact.fingerprint') return artifact.fingerprint
  return operand.name === 'flow.name' && flow !== null ? flow.name : null
}

function isFailure(result: Truth | Value | Failure): result is Failure {
  return typeof result === 'object' && result !== null && 'error' in result
}

function shown(operand: Expression, value: Value): string {
  if (typeof value === 'object') return 'a list'
  if (isCondition(operand)) return `the condition ${value}`
  const text = typeof value === 'string' ? `'${shownInput(value)}'` : String(value)
  return operand.kind === 'reference' || operand.kind === 'tag' ? `${referenceText(operand)} (${text})` : text
}
