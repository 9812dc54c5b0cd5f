// Equality and order of two values that are both present. Tags are text; compared with a number, text that is a
// decimal number counts as that number.

import type { Comparison } from './expression.ts'

export type Scalar = string | number | boolean
export type Value = Scalar | readonly Scalar[]

const DECIMAL = /^-?[0-9]+(?:\.[0-9]+)?$/

// Undefined if the two values have no order.
export function compareValues(operator: Comparison, left: Value, right: Value): boolean | undefined {
  if (operator === '==') return isEqual(left, right)
  if (operator === '!=') return !isEqual(left, right)
  const order = computeOrder(left, right)
  if (order === undefined) return undefined
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  return operator === '<=' ? order <= 0 : order >= 0
}

export function isEqual(left: Value, right: Value): boolean {
  if (typeof left === 'object' || typeof right === 'object') {
    if (typeof left !== 'object' || typeof right !== 'object') return false
    return left.length === right.length && left.every((item, at) => isEqual(item, right[at] ?? ''))
  }
  if (typeof left === 'number' && typeof right === 'string') return left === parseNumber(right)
  if (typeof left === 'string' && typeof right === 'number') return parseNumber(left) === right
  return left === right
}

export function isNumeric(text: string): boolean {
  return DECIMAL.test(text)
}

function computeOrder(left: Value, right: Value): number | undefined {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right)
  const [a, b] = [parseNumber(left), parseNumber(right)]
  if (a === undefined || b === undefined) return undefined
  return a === b ? 0 : a < b ? -1 : 1
}

function parseNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && isNumeric(value) ? Number(value) : undefined
}

// By code point. JavaScript orders by UTF-16 unit, which puts U+FF5E after an emoji.
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) return rankUnit(a) - rankUnit(b)
  }
  return left.length - right.length
}

// Surrogates rank above every character that needs no pair.
function rankUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
