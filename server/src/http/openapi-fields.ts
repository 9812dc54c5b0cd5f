// Copies to each field the texts of the schema that it refers to: a named schema, or its only alternative to null.

type Json = Record<string, unknown>

/** The components with a description and an example on every property that can have one. */
export function liftSchemas(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, liftWithin(schema as Json, schemas)]),
  )
}

/** A property or parameter with its description and example. */
export function liftField(schema: Json, schemas: Json): Json {
  const lifted = liftWithin(schema, schemas)
  const shown = ['description', 'examples'].map(key => [key, findKey(schema, key, schemas)])
  return { ...lifted, ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)) }
}

function liftWithin(schema: Json, schemas: Json): Json {
  const inner = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') return [key, liftProperties(value as Record<string, Json>, schemas)]
    if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
      return [key, (value as Json[]).map(one => liftWithin(one, schemas))]
    }
    if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') {
      return [key, liftWithin(value as Json, schemas)]
    }
    return [key, value]
  })
  return Object.fromEntries(inner)
}

function liftProperties(properties: Record<string, Json>, schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, liftField(property, schemas)]),
  )
}

function findKey(schema: Json, key: string, schemas: Json): unknown {
  if (schema[key] !== undefined) return schema[key]
  const [choice, ...others] = (schema.anyOf ?? []) as Json[]
  if (choice && others.every(({ type }) => type === 'null')) return findKey(choice, key, schemas)
  return typeof schema.$ref === 'string'
    ? findKey(schemas[schema.$ref.split('/').at(-1) ?? ''] as Json, key, schemas)
    : undefined
}
