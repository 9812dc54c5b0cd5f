// For tests: prints an expression as text, and removes offsets and compiled patterns from its tree.

import { type Expression, formatReference } from './expression.ts'

export function print(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string' ? quoteText(expression.value) : String(expression.value)
    case 'reference':
    case 'tag':
      return formatReference(expression)
    case 'list':
      return `[${expression.items.map(print).join(', ')}]`
    case 'compare':
      return `${printOperand(expression.left)} ${expression.operator} ${printOperand(expression.right)}`
    case 'membership':
      return `${printOperand(expression.left)} ${expression.negated ? 'not in' : 'in'} ${print(expression.list)}`
    case 'and':
    case 'or':
      return expression.operands.map(printOperand).join(` ${expression.kind} `)
    case 'not':
      return `not ${printOperand(expression.operand)}`
    case 'exists':
      return `exists(${print(expression.argument)})`
    case 'matches':
      return `matches(${print(expression.input)}, ${quoteText(expression.pattern)})`
  }
}

export function stripOffsets(expression: unknown): unknown {
  if (Array.isArray(expression)) return expression.map(stripOffsets)
  if (typeof expression !== 'object' || expression === null) return expression
  const kept = Object.entries(expression).filter(([key]) => key !== 'offset' && key !== 'regex')
  return Object.fromEntries(kept.map(([key, value]) => [key, stripOffsets(value)]))
}

function printOperand(expression: Expression): string {
  const isJoined = ['and', 'or', 'not', 'compare', 'membership'].includes(expression.kind)
  return isJoined ? `(${print(expression)})` : print(expression)
}

function quoteText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
