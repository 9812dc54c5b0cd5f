// For tests: an expression as text again, and its tree without offsets and compiled patterns.

import { type Expression, referenceText } from './expression.ts'

export function print(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string' ? quoted(expression.value) : String(expression.value)
    case 'reference':
    case 'tag':
      return referenceText(expression)
    case 'list':
      return `[${expression.items.map(print).join(', ')}]`
    case 'compare':
      return `${operand(expression.left)} ${expression.operator} ${operand(expression.right)}`
    case 'membership':
      return `${operand(expression.left)} ${expression.negated ? 'not in' : 'in'} ${print(expression.list)}`
    case 'and':
    case 'or':
      return expression.operands.map(operand).join(` ${expression.kind} `)
    case 'not':
      return `not ${operand(expression.operand)}`
    case 'exists':
      return `exists(${print(expression.argument)})`
    case 'matches':
      return `matches(${print(expression.input)}, ${quoted(expression.pattern)})`
  }
}

export function bare(expression: unknown): unknown {
  if (Array.isArray(expression)) return expression.map(bare)
  if (typeof expression !== 'object' || expression === null) return expression
  const kept = Object.entries(expression).filter(([key]) => key !== 'offset' && key !== 'regex')
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]))
}

function operand(expression: Expression): string {
  const isJoined = ['and', 'or', 'not', 'compare', 'membership'].includes(expression.kind)
  return isJoined ? `(${print(expression)})` : print(expression)
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
