// Builds an example of a schema from the examples of its properties. A pure function of the components.

type Json = Record<string, unknown>

/** The last resort; a test finds the properties that still have it. */
export const PLACEHOLDER = 'text'

const NO_EXAMPLE = Symbol('a schema that contains itself')

export function buildExample(schema: Json, schemas: Json): unknown {
  const example = buildValue(schema, schemas, [])
  return example === NO_EXAMPLE ? null : example
}

/** `open` lists the components being built: a component that contains itself ends there. */
function buildValue(schema: Json, schemas: Json, open: readonly string[]): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return open.includes(name) ? NO_EXAMPLE : buildValue(schemas[name] as Json, schemas, [...open, name])
  }
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as Json[]
  return choice ? buildValue(choice, schemas, open) : buildByType(schema, schemas, open)
}

function buildByType(schema: Json, schemas: Json, open: readonly string[]): unknown {
  switch ([schema.type].flat()[0]) {
    case 'object':
      return buildObject(schema, schemas, open)
    case 'array': {
      const item = schema.items ? buildValue(schema.items as Json, schemas, open) : NO_EXAMPLE
      return item === NO_EXAMPLE ? [] : [item]
    }
    case 'string':
      return buildText(schema)
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1))
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return {}
  }
}

function buildObject(schema: Json, schemas: Json, open: readonly string[]): Json {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const included = Object.entries(properties).filter(
    ([name, one]) => required.includes(name) || isInformative(one),
  )
  return Object.fromEntries(
    included
      .map(([name, property]) => [name, buildValue(property, schemas, open)])
      .filter(([, example]) => example !== NO_EXAMPLE),
  )
}

/** An optional text or number with no more than a type is left out. */
function isInformative(schema: Json): boolean {
  const isPlain = schema.type === 'string' || schema.type === 'number' || schema.type === 'integer'
  return !isPlain || ['examples', 'const', 'default', 'enum'].some(key => key in schema)
}

function buildText({ format, minLength }: Json): string {
  if (format === 'uri') return 'https://example.com'
  if (format === 'binary') return '(the bytes of the file)'
  return PLACEHOLDER.padEnd(Number(minLength ?? 0), '.')
}
