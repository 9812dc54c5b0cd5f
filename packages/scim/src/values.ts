// Normalizes input to the attributes of a resource: names and values get one spelling, read-only and unknown
// attributes are ignored, values of the wrong type are rejected.
import type { Attribute, Attributes, ResourceType } from './attributes.ts'
import { invalidSyntax, invalidValue } from './problems.ts'

export type Values = Record<string, unknown>

export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The attributes that a client may set. */
export function parseResource(type: ResourceType, body: unknown): Values {
  if (!isValues(body)) throw invalidSyntax('The body should be a JSON object')
  const schemas = body.schemas
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(type.schema))) {
    throw invalidSyntax(`schemas should include '${type.schema}'`)
  }
  return parseValues(type.attributes, body, '')
}

function parseValues(attributes: Attributes, input: Values, place: string): Values {
  const values: Values = {}
  for (const [key, value] of Object.entries(input)) {
    const attribute = attributes.get(key.toLowerCase())
    if (!attribute || attribute.is_read_only) continue
    const taken = parseValue(attribute, value, place)
    if (taken !== undefined) values[attribute.name] = taken
  }
  return values
}

/** Undefined for what SCIM calls unassigned: null, an empty list, an empty object. */
export function parseValue(attribute: Attribute, value: unknown, place = ''): unknown {
  if (value === null || value === undefined) return undefined
  const name = place + attribute.name
  if (!attribute.is_list) return parseSingle(attribute, value, name)
  const list = (Array.isArray(value) ? value : [value]).flatMap(
    one => parseSingle(attribute, one, name) ?? [],
  )
  return list.length === 0 ? undefined : list
}

/** One value of a list, or a single value. */
function parseSingle(attribute: Attribute, value: unknown, name: string): unknown {
  switch (attribute.type) {
    case 'complex':
      return parseComplex(attribute, value, name)
    case 'boolean':
      return parseBoolean(value, name)
    case 'integer':
    case 'decimal':
      if (typeof value !== 'number') throw invalidValue(`${name} should be a number`)
      return value
    default:
      if (typeof value !== 'string') throw invalidValue(`${name} should be text`)
      return value
  }
}

function parseComplex(attribute: Attribute, value: unknown, name: string): Values | undefined {
  if (!isValues(value)) throw invalidValue(`${name} should be an object`)
  const values = parseValues(attribute.inner, value, `${name}.`)
  return Object.keys(values).length === 0 ? undefined : values
}

/** Entra sends "True" and "False". */
function parseBoolean(value: unknown, name: string): boolean {
  const input = typeof value === 'string' ? value.toLowerCase() : value
  if (input === true || input === 'true') return true
  if (input === false || input === 'false') return false
  throw invalidValue(`${name} should be true or false`)
}
