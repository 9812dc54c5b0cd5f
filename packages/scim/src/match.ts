// Tests a resource against a filter. Texts are compared case-insensitively unless the schema says otherwise.
import type { Attribute } from './attributes.ts'
import type { Comparison, Filter, Operand } from './filter.ts'
import { isValues, type Values } from './values.ts'

export function matches(filter: Filter, values: Values): boolean {
  switch (filter.is) {
    case 'and':
      return filter.parts.every(part => matches(part, values))
    case 'or':
      return filter.parts.some(part => matches(part, values))
    case 'not':
      return !matches(filter.part, values)
    case 'present':
      return collectValues(values, filter.path).some(isAssigned)
    case 'within':
      return collectValues(values, filter.path).some(value => isValues(value) && matches(filter.part, value))
    case 'comparison':
      return isFulfilled(collectValues(values, filter.path).filter(isAssigned), filter)
  }
}

/** Every value on a path, across the lists on the way. */
function collectValues(values: Values, path: readonly Attribute[]): unknown[] {
  return path.reduce<unknown[]>(
    (found, { name }) => found.flatMap(value => (isValues(value) ? [value[name]].flat() : [])),
    [values],
  )
}

function isAssigned(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function isFulfilled(
  found: readonly unknown[],
  { path, operator, operand }: { path: readonly Attribute[]; operator: Comparison; operand: Operand },
): boolean {
  const attribute = path.at(-1)
  if (operand === null) return (operator === 'eq') === (found.length === 0)
  if (operator === 'ne') return found.every(value => !isMatch(attribute, value, 'eq', operand))
  return found.some(value => isMatch(attribute, value, operator, operand))
}

function isMatch(
  attribute: Attribute | undefined,
  value: unknown,
  operator: Comparison,
  operand: string | number | boolean,
): boolean {
  const [own, other] = [toComparable(attribute, value), toComparable(attribute, operand)]
  switch (operator) {
    case 'co':
      return String(own).includes(String(other))
    case 'sw':
      return String(own).startsWith(String(other))
    case 'ew':
      return String(own).endsWith(String(other))
    case 'gt':
      return own > other
    case 'ge':
      return own >= other
    case 'lt':
      return own < other
    case 'le':
      return own <= other
    default:
      return own === other
  }
}

function toComparable(attribute: Attribute | undefined, value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = String(value)
  if (attribute?.type === 'dateTime') return new Date(text).getTime()
  return attribute?.is_case_exact ? text : text.toLowerCase()
}
