// Evaluates an expression for one artifact in one flow: true, false, unknown or an error. A comparison with a missing
// value is unknown and stays unknown through `and`, `or` and `not`: a flow without a tag is not a flow with another
// tag.

import { formatInput } from '../../yaml/problems.ts'
import { compareValues, isEqual, type Scalar, type Value } from './compare.ts'
import {
  type Compare,
  type Expression,
  formatReference,
  isCondition,
  type Joined,
  type List,
  type Literal,
  listChildren,
  type Matches,
  type Membership,
  type Reference,
  type Tag,
} from './expression.ts'

export interface EvaluationContext {
  flow: { name: string; tags: Readonly<Record<string, string>> } | null
  artifact: { name: string; fingerprint: string }
}

/** Null means unknown. */
export type Evaluation = { value: boolean | null; error?: never } | { error: string; value?: never }

interface Failure {
  error: string
}
type Truth = boolean | null | Failure

const TRUE: Evaluation = Object.freeze({ value: true })
const FALSE: Evaluation = Object.freeze({ value: false })
const UNKNOWN: Evaluation = Object.freeze({ value: null })

export function evaluateExpression(expression: Expression, context: EvaluationContext): Evaluation {
  const truth = evaluateTruth(expression, context)
  if (isFailure(truth)) return truth
  if (truth === null) return UNKNOWN
  return truth ? TRUE : FALSE
}

/** References that the expression compares but the context lacks, such as `flow.tags.env`. */
export function listMissingReferences(expression: Expression, context: EvaluationContext): string[] {
  const found = new Set<string>()
  const visit = (part: Expression): void => {
    if (part.kind === 'exists') return
    const isName = part.kind === 'reference' || part.kind === 'tag'
    if (isName && resolveValue(part, context) === null) found.add(formatReference(part))
    listChildren(part).forEach(visit)
  }
  visit(expression)
  return [...found]
}

function evaluateTruth(expression: Expression, context: EvaluationContext): Truth {
  switch (expression.kind) {
    case 'and':
      return evaluateJoined(expression, context, false)
    case 'or':
      return evaluateJoined(expression, context, true)
    case 'not': {
      const truth = evaluateTruth(expression.operand, context)
      return typeof truth === 'boolean' ? !truth : truth
    }
    case 'exists':
      return doesExist(expression.argument, context)
    case 'compare':
      return evaluateComparison(expression, context)
    case 'membership':
      return evaluateMembership(expression, context)
    case 'matches':
      return evaluateMatch(expression, context)
    default:
      return expression.kind === 'literal' && typeof expression.value === 'boolean'
        ? expression.value
        : { error: 'Expression is not a condition' }
  }
}

// From left to right. `decisive` settles the result: false settles `and`, true settles `or`.
function evaluateJoined({ operands }: Joined, context: EvaluationContext, decisive: boolean): Truth {
  let result: Truth = !decisive
  for (const operand of operands) {
    const truth = evaluateTruth(operand, context)
    if (truth === decisive || isFailure(truth)) return truth
    if (truth === null) result = null
  }
  return result
}

function evaluateComparison(expression: Compare, context: EvaluationContext): Truth {
  const left = evaluateOperand(expression.left, context)
  if (isFailure(left)) return left
  const right = evaluateOperand(expression.right, context)
  if (isFailure(right)) return right
  if (left === null || right === null) return null
  const truth = compareValues(expression.operator, left, right)
  if (truth !== undefined) return truth
  const [a, b] = [describeOperand(expression.left, left), describeOperand(expression.right, right)]
  return { error: `${a} and ${b} have no order, so '${expression.operator}' cannot compare them` }
}

// `in` is an `or` of `==`, `not in` an `and` of `!=`, so missing values behave as they do there.
function evaluateMembership({ left, list, negated }: Membership, context: EvaluationContext): Truth {
  const value = evaluateOperand(left, context)
  if (isFailure(value)) return value
  if (value === null) return null
  let lacksOne = false
  for (const item of list.items) {
    const other = resolveValue(item, context)
    if (other === null) lacksOne = true
    else if (isEqual(value, other)) return !negated
  }
  return lacksOne ? null : negated
}

function evaluateMatch({ input, regex }: Matches, context: EvaluationContext): Truth {
  const value = resolveValue(input, context)
  return typeof value === 'string' ? regex.test(value) : null
}

function doesExist(argument: Reference | Tag, context: EvaluationContext): boolean {
  if (argument.kind === 'reference' && argument.name === 'flow') return context.flow !== null
  return resolveValue(argument, context) !== null
}

function evaluateOperand(operand: Expression, context: EvaluationContext): Value | null | Failure {
  if (operand.kind === 'literal' || operand.kind === 'reference' || operand.kind === 'tag') {
    return resolveValue(operand, context)
  }
  return operand.kind === 'list' ? evaluateList(operand, context) : evaluateTruth(operand, context)
}

// A list with a missing value cannot be compared.
function evaluateList({ items }: List, context: EvaluationContext): Scalar[] | null {
  const values: Scalar[] = []
  for (const item of items) {
    const value = resolveValue(item, context)
    if (value === null) return null
    values.push(value)
  }
  return values
}

function resolveValue(
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

function describeOperand(operand: Expression, value: Value): string {
  if (typeof value === 'object') return 'a list'
  if (isCondition(operand)) return `the condition ${value}`
  const text = typeof value === 'string' ? `'${formatInput(value)}'` : String(value)
  return operand.kind === 'reference' || operand.kind === 'tag'
    ? `${formatReference(operand)} (${text})`
    : text
}
