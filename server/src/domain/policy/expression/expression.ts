// The syntax tree of a policy expression. The parser builds only meaningful trees: operands of `and`, `or` and `not`
// are conditions, the right side of a membership is a list, and regular expressions are compiled.

import type { RE2JS } from 're2js'

export type Comparison = '==' | '!=' | '<' | '>' | '<=' | '>='
export type ReferenceName = 'flow' | 'flow.name' | 'artifact.name' | 'artifact.fingerprint'

// Offsets count UTF-16 units from the start of the expression.
interface Placed {
  offset: number
}

export interface Literal extends Placed {
  kind: 'literal'
  value: string | number | boolean
}
export interface Reference extends Placed {
  kind: 'reference'
  name: ReferenceName
}
export interface Tag extends Placed {
  kind: 'tag'
  key: string
}
export interface List extends Placed {
  kind: 'list'
  items: (Literal | Reference | Tag)[]
}
export interface Compare extends Placed {
  kind: 'compare'
  operator: Comparison
  left: Expression
  right: Expression
}
export interface Membership extends Placed {
  kind: 'membership'
  negated: boolean
  left: Expression
  list: List
}
export interface Joined extends Placed {
  kind: 'and' | 'or'
  operands: Expression[]
}
interface Not extends Placed {
  kind: 'not'
  operand: Expression
}
interface Exists extends Placed {
  kind: 'exists'
  argument: Reference | Tag
}
export interface Matches extends Placed {
  kind: 'matches'
  input: Literal | Reference | Tag
  pattern: string
  regex: RE2JS
}

export type Expression =
  | Literal
  | Reference
  | Tag
  | List
  | Compare
  | Membership
  | Joined
  | Not
  | Exists
  | Matches

export const REFERENCES: readonly ReferenceName[] = [
  'flow',
  'flow.name',
  'artifact.name',
  'artifact.fingerprint',
]
export const TAG_PREFIX = 'flow.tags.'

export function hasFlowReference(expression: Expression): boolean {
  if (expression.kind === 'tag') return true
  if (expression.kind === 'reference') return expression.name === 'flow' || expression.name === 'flow.name'
  return listChildren(expression).some(hasFlowReference)
}

// The type of every value is known before evaluation, so this is exact.
export function isCondition(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'boolean'
    case 'reference':
    case 'tag':
    case 'list':
      return false
    default:
      return true
  }
}

export function listChildren(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'list':
      return expression.items
    case 'compare':
      return [expression.left, expression.right]
    case 'membership':
      return [expression.left, expression.list]
    case 'and':
    case 'or':
      return expression.operands
    case 'not':
      return [expression.operand]
    case 'exists':
      return [expression.argument]
    case 'matches':
      return [expression.input]
    default:
      return []
  }
}

// As written in policies: `flow.name`, `flow.tags.team`.
export function formatReference(reference: Reference | Tag): string {
  return reference.kind === 'tag' ? `${TAG_PREFIX}${reference.key}` : reference.name
}
