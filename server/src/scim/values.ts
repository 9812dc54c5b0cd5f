// Values from outside as the attributes of a resource: the spelling of names and the form of values are made one, what is
// read-only or unknown is left out, what is of another type is refused.
import type { Attribute, Attributes, ResourceType } from './attributes.ts'
import { invalidSyntax, invalidValue } from './problems.ts'

export type Values = Record<string, unknown>

export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a client may say of a resource. */
export function resourceFrom(type: ResourceType, body: unknown): Values {
  if (!isValues(body)) throw invalidSyntax('The body should be a JSON object')
  const schemas = body.schemas
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(type.schema))) {
    throw invalidSyntax(`schemas should include '${type.schema}'`)
  }
  return valuesFrom(type.attributes, body, '')
}

function valuesFrom(attributes: Attributes, said: Values, place: string): Values {
  const values: Values = {}
  for (const [key, value] of Object.entries(said)) {
    const attribute = attributes.get(key.toLowerCase())
    if (!attribute || attribute.is_read_only) continue
    const taken = valueFrom(attribute, value, place)
    if (taken !== undefined) values[attribute.name] = taken
  }
  return values
}

/** Undefined for what SCIM calls unassigned: null, an empty list, an object with nothing in it. */
export function valueFrom(attribute: Attribute, value: unknown, place = ''): unknown {
  if (value === null || value === undefined) return undefined
  const name = place + attribute.name
  if (!attribute.is_list) return oneFrom(attribute, value, name)
  const list = (Array.isArray(value) ? value : [value]).flatMap(one => oneFrom(attribute, one, name) ?? [])
  return list.length === 0 ? undefined : list
}

/** One of the values of a list, or the only one. */
export function oneFrom(attribute: Attribute, value: unknown, name: string): unknown {
  switch (attribute.type) {
    case 'complex':
      return complexFrom(attribute, value, name)
    case 'boolean':
      return booleanFrom(value, name)
    case 'integer':
    case 'decimal':
      if (typeof value !== 'number') throw invalidValue(`${name} should be a number`)
      return value
    default:
      if (typeof value !== 'string') throw invalidValue(`${name} should be a text`)
      return value
  }
}

function complexFrom(attribute: Attribute, value: unknown, name: string): Values | undefined {
  if (!isValues(value)) throw invalidValue(`${name} should be an object`)
  const values = valuesFrom(attribute.inner, value, `${name}.`)
  return Object.keys(values).length === 0 ? undefined : values
}

/** Entra says "True" and "False". */
function booleanFrom(value: unknown, name: string): boolean {
  const said = typeof value === 'string' ? value.toLowerCase() : value
  if (said === true || said === 'true') return true
  if (said === false || said === 'false') return false
  throw invalidValue(`${name} should be true or false`)
}

/** Items by key, each in the order they come. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
