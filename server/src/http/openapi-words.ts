// Describes every property and parameter of the OpenAPI document: by its own schema if that has a description,
// otherwise by the glossary. Examples of the glossary are used where they fit.
import { EpochSeconds } from '../api/shared/wire.ts'
import { BUILD_WORDS } from './glossary/of-builds.ts'
import { CONTROL_WORDS } from './glossary/of-controls.ts'
import { ENVIRONMENT_WORDS } from './glossary/of-environments.ts'
import { ORGANIZATION_WORDS } from './glossary/of-organizations.ts'
import type { SchemaWords, Word } from './glossary/word.ts'
import { WORDS } from './glossary/words.ts'

type Json = Record<string, unknown>

const SCHEMA_WORDS: SchemaWords = {
  ...BUILD_WORDS,
  ...ENVIRONMENT_WORDS,
  ...ORGANIZATION_WORDS,
  ...CONTROL_WORDS,
}
/** Every time has this sentence, which describes the format and not the meaning. */
const { description: SECONDS } = EpochSeconds as { description?: string }

/** The components with every property described; objects without a name are found by their path. */
export function explainSchemas(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, explainNested(schema as Json, name, schemas)]),
  )
}

/** Unused glossary entries: `Schema.property`. An entry that several schemas share must be used at least once. */
export function findStaleWords(schemas: Json, parameters: ReadonlySet<string>): string[] {
  const known = new Set([...parameters, ...listProperties(schemas)])
  const entries = Object.entries(SCHEMA_WORDS).flatMap(([schema, words]) =>
    Object.entries(words).map(([property, word]) => ({ place: `${schema}.${property}`, word })),
  )
  const used = new Set(entries.filter(({ place }) => known.has(place)).map(({ word }) => word))
  return entries.filter(({ word }) => !used.has(word)).map(({ place }) => place)
}

/** A property or parameter with its description and, if its own schema has none, an example. */
export function explain(schema: Json, place: { owner: string; name: string }, schemas: Json): Json {
  const words = [SCHEMA_WORDS[place.owner]?.[place.name], WORDS[place.name]].filter(
    word => word !== undefined,
  )
  const description = chooseDescription(findDescription(schema, schemas), words[0])
  const candidates = words.flatMap(([, example]) => (example === undefined ? [] : [example, [example]]))
  const fitting = candidates.filter(example => matchesSchema(example, schema, schemas)).slice(0, 1)
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(schema.examples === undefined && fitting.length > 0 ? { examples: fitting } : {}),
  }
}

/** From the property, else from its schema: the one it refers to, or the one it may have besides null. */
function findDescription(schema: Json, schemas: Json): string | undefined {
  if (typeof schema.description === 'string') return schema.description
  const [choice, ...others] = (schema.anyOf ?? []) as Json[]
  if (choice && others.every(({ type }) => type === 'null')) return findDescription(choice, schemas)
  return typeof schema.$ref === 'string'
    ? findDescription(schemas[schema.$ref.split('/').at(-1) ?? ''] as Json, schemas)
    : undefined
}

function chooseDescription(own: string | undefined, word: Word | undefined): string | undefined {
  if (own === undefined) return word?.[0]
  return own === SECONDS && word ? `${word[0]}. ${own}` : own
}

function explainNested(schema: Json, owner: string, schemas: Json): Json {
  const inner = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') return [key, explainProperties(value as Json, owner, schemas)]
    if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
      return [key, (value as Json[]).map(one => explainNested(one, owner, schemas))]
    }
    if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') {
      return [key, explainNested(value as Json, owner, schemas)]
    }
    return [key, value]
  })
  return Object.fromEntries(inner)
}

function explainProperties(properties: Json, owner: string, schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const within = explainNested(property as Json, `${owner}.${name}`, schemas)
      return [name, explain(within, { owner, name }, schemas)]
    }),
  )
}

/** Whether an example fits the schema: its type, its choices and its pattern. */
function matchesSchema(value: unknown, schema: Json, schemas: Json): boolean {
  const { $ref, anyOf, oneOf } = schema as { $ref?: string; anyOf?: Json[]; oneOf?: Json[] }
  if ($ref !== undefined) return matchesSchema(value, schemas[$ref.split('/').at(-1) ?? ''] as Json, schemas)
  const choices = anyOf ?? oneOf
  if (choices) return choices.some(choice => matchesSchema(value, choice, schemas))
  if ('const' in schema) return schema.const === value
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  if (schema.type === undefined) return true
  if (!getJsonTypes(value).some(type => [schema.type].flat().includes(type))) return false
  if (Array.isArray(value))
    return value.every(item => matchesSchema(item, (schema.items ?? {}) as Json, schemas))
  if (typeof value !== 'string' || typeof schema.pattern !== 'string') return true
  return new RegExp(schema.pattern, 'u').test(value)
}

function getJsonTypes(value: unknown): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  return [typeof value]
}

/** `Schema.property` of every property. */
function listProperties(schemas: Json): string[] {
  const found: string[] = []
  const visit = (value: unknown, owner: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'properties') visit(inner, owner)
      else {
        for (const [name, property] of Object.entries(inner as Json)) {
          found.push(`${owner}.${name}`)
          visit(property, `${owner}.${name}`)
        }
      }
    }
  }
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name)
  return found
}
