// Expression × what is known of one artifact in one flow → true, false or an error. What is absent never makes a
// comparison true, and in an exception it never makes anything true: there it stays unknown through and, or, not.

import { shownInput } from '../../yaml/problems.ts'
import { compareValues, isEqual, type Scalar, type Value } from './compare.ts'
import {
  type Compare,
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

export type EvaluationMode = 'condition' | 'exception'
export type Evaluation = { value: boolean; error?: never } | { error: string; value?: never }

interface Failure {
  error: string
}
// null is unknown. It arises only in exceptions.
type Truth = boolean | null | Failure
// What a comparison with nothing gives: false in a condition, unknown in an exception.
type OfNothing = false | null

const TRUE: Evaluation = Object.freeze({ value: true })
const FALSE: Evaluation = Object.freeze({ value: false })

export function evaluateExpression(
  expression: Expression,
  context: EvaluationContext,
  mode: EvaluationMode,
): Evaluation {
  const truth = truthOf(expression, context, mode === 'exception' ? null : false)
  if (isFailure(truth)) return truth
  return truth === true ? TRUE : FALSE
}

function truthOf(expression: Expression, context: EvaluationContext, nothing: OfNothing): Truth {
  switch (expression.kind) {
    case 'and':
      return joined(expression, context, nothing, false)
    case 'or':
      return joined(expression, context, nothing, true)
    case 'not': {
      const truth = truthOf(expression.operand, context, nothing)
      return typeof truth === 'boolean' ? !truth : truth
    }
    case 'exists':
      return doesExist(expression.argument, context)
    case 'compare':
      return compared(expression, context, nothing)
    case 'membership':
      return isMember(expression, context, nothing)
    case 'matches':
      return matched(expression, context, nothing)
    default:
      return expression.kind === 'literal' && typeof expression.value === 'boolean'
        ? expression.value
        : { error: 'Expression gives no condition' }
  }
}

// From left to right. `decisive` settles the whole: false settles `and`, true settles `or`.
function joined(
  { operands }: Joined,
  context: EvaluationContext,
  nothing: OfNothing,
  decisive: boolean,
): Truth {
  let result: Truth = !decisive
  for (const operand of operands) {
    const truth = truthOf(operand, context, nothing)
    if (truth === decisive || isFailure(truth)) return truth
    if (truth === null) result = null
  }
  return result
}

function compared(expression: Compare, context: EvaluationContext, nothing: OfNothing): Truth {
  const left = operandOf(expression.left, context, nothing)
  if (isFailure(left)) return left
  const right = operandOf(expression.right, context, nothing)
  if (isFailure(right)) return right
  if (left === null || right === null) return nothing
  const truth = compareValues(expression.operator, left, right)
  if (truth !== undefined) return truth
  const [a, b] = [shown(expression.left, left), shown(expression.right, right)]
  return { error: `${a} and ${b} have no order, so '${expression.operator}' cannot compare them` }
}

// `in` is an `or` of `==`, `not in` an `and` of `!=`, so nothing in the list counts as in those.
function isMember(
  { left, list, negated }: Membership,
  context: EvaluationContext,
  nothing: OfNothing,
): Truth {
  const value = operandOf(left, context, nothing)
  if (isFailure(value)) return value
  if (value === null) return nothing
  let lacksOne = false
  for (const item of list.items) {
    const other = plainValue(item, context)
    if (other === null) lacksOne = true
    else if (isEqual(value, other)) return !negated
  }
  return lacksOne ? nothing : negated
}

function matched({ input, regex }: Matches, context: EvaluationContext, nothing: OfNothing): Truth {
  const value = plainValue(input, context)
  return typeof value === 'string' ? regex.test(value) : nothing
}

function doesExist(argument: Reference | Tag, context: EvaluationContext): boolean {
  if (argument.kind === 'reference' && argument.name === 'flow') return context.flow !== null
  return plainValue(argument, context) !== null
}

function operandOf(
  operand: Expression,
  context: EvaluationContext,
  nothing: OfNothing,
): Value | null | Failure {
  if (operand.kind === 'literal' || operand.kind === 'reference' || operand.kind === 'tag') {
    return plainValue(operand, context)
  }
  return operand.kind === 'list' ? listOf(operand, context) : truthOf(operand, context, nothing)
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
