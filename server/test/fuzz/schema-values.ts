// Draws values that a JSON Schema of the document allows, with fast-check. Supports only the keywords that our schemas
// use. A drawn value may rarely not fit its schema; Ajv decides, so no test depends on it.
import fc from 'fast-check'

export type Schema = Readonly<Record<string, unknown>>

/** Values that exist for a field or parameter of this name. */
export type Existing = (name: string) => readonly string[]

export interface Values {
  of(schema: Schema | boolean, name: string): fc.Arbitrary<unknown>
}

/** A password in an address. The service removes it on input, so no response ever shows it. */
export const PLANTED_PASSWORD = 'planted-password-4711'

const MAX_DEPTH = 7
const MAX_ITEMS = 3
const DEFAULT_LENGTH = 40
const MAX_LENGTH = 20_000

const PLAIN = fc.constantFrom('a', 'backend', 'two words', '1', '0', '2026-03-03', 'main', 'x=y', 'key:value')
const ODD = fc.constantFrom(
  '',
  ' ',
  'naïve ✓',
  '日本語',
  '1..2',
  '~1',
  '#1',
  'NOW',
  '@{now}',
  '*',
  '(',
  "'",
  '\\',
)
const ADDRESS = fc.constantFrom(
  'https://git.example.com/acme/backend',
  'https://ci.example.com/builds/1?a=b#c',
  'HTTP://EXAMPLE.COM',
  `https://user:${PLANTED_PASSWORD}@git.example.com/acme/backend`,
)

export function makeValues(schemas: Readonly<Record<string, Schema>>, existing: Existing): Values {
  const draw = (schema: Schema | boolean, name: string, depth: number): fc.Arbitrary<unknown> => {
    if (typeof schema === 'boolean' || depth > MAX_DEPTH) return drawAnything()
    const { $ref, const: constant, enum: choices } = schema
    if (typeof $ref === 'string') return draw(resolveRef(schemas, $ref), name, depth)
    if (constant !== undefined) return fc.constant(constant)
    if (Array.isArray(choices)) return fc.constantFrom(...choices)
    const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
    if (branches && schema.properties === undefined)
      return fc.oneof(...branches.map(branch => draw(branch, name, depth + 1)))
    const types = [schema.type ?? []].flat() as string[]
    if (types.length === 0) return drawAnything()
    return fc.oneof(...types.map(type => drawOfType(type, schema, name, depth)))
  }
  const drawOfType = (type: string, schema: Schema, name: string, depth: number): fc.Arbitrary<unknown> => {
    if (type === 'object') return drawObject(schema, depth)
    if (type === 'array') return drawList(schema, name, depth)
    if (type === 'string') return drawText(schema, existing(name))
    if (type === 'integer' || type === 'number') return drawNumber(type, schema)
    return type === 'boolean' ? fc.boolean() : fc.constant(null)
  }
  const drawList = (schema: Schema, name: string, depth: number) =>
    fc.array(draw((schema.items ?? true) as Schema, name, depth + 1), {
      minLength: Number(schema.minItems ?? 0),
      maxLength: Math.min(Number(schema.maxItems ?? MAX_ITEMS), Number(schema.minItems ?? 0) + MAX_ITEMS),
    })
  const drawObject = (schema: Schema, depth: number): fc.Arbitrary<object> => {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    const required = new Set((schema.required ?? []) as string[])
    const named = properties.map(([name, inner]) =>
      fc
        .tuple(fc.constantFrom(...Array(3 + depth).keys()), draw(inner, name, depth + 1))
        .map(([dice, value]) => (dice === 0 || required.has(name) ? [[name, value]] : [])),
    )
    const entries = fc.tuple(fc.tuple(...named), drawFreeProperties(schema, depth))
    return entries.map(([own, others]) => Object.fromEntries([...own.flat(), ...others]))
  }
  const drawFreeProperties = (schema: Schema, depth: number): fc.Arbitrary<[string, unknown][]> => {
    const more = schema.additionalProperties
    const patterns = Object.entries((schema.patternProperties ?? {}) as Record<string, Schema>)
    const kinds = patterns.map(([pattern, inner]) =>
      fc.tuple(drawMatching(pattern, 1, DEFAULT_LENGTH), draw(inner, '', depth + 1)),
    )
    if (typeof more === 'object') {
      const keys = schema.propertyNames ? drawText(schema.propertyNames as Schema, []) : PLAIN
      kinds.push(fc.tuple(keys, draw(more as Schema, '', depth + 1)))
    }
    return kinds.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...kinds), { maxLength: MAX_ITEMS })
  }
  return { of: (schema, name) => draw(schema, name, 0) }
}

export function resolveRef(schemas: Readonly<Record<string, Schema>>, $ref: string): Schema {
  const found = schemas[$ref.replace('#/components/schemas/', '')]
  if (!found) throw new Error(`The document has no ${$ref}`)
  return found
}

function drawAnything(): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 2 })
}

function drawText(schema: Schema, existing: readonly string[]): fc.Arbitrary<string> {
  const min_length = Number(schema.minLength ?? 0)
  const max_length = Number(schema.maxLength ?? MAX_LENGTH)
  const fits = (text: string) => text.length >= min_length && text.length <= max_length
  const { pattern, format } = schema
  const regex = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined
  const there = existing.filter(text => fits(text) && (regex === undefined || regex.test(text)))
  const made =
    typeof pattern === 'string'
      ? drawMatching(pattern, min_length, Math.min(max_length, Math.max(min_length, DEFAULT_LENGTH)))
      : drawFormatted(format, min_length, max_length).filter(fits)
  return there.length === 0 ? made : fc.oneof(made, fc.constantFrom(...there))
}

function drawFormatted(format: unknown, min_length: number, max_length: number): fc.Arbitrary<string> {
  if (format === 'uri' || format === 'repository-address') return ADDRESS
  if (format === 'email') return fc.constantFrom('ada@example.com', 'nobody@example.com')
  if (format === 'date-time') return fc.constantFrom('2026-03-03T12:00:00Z', '2026-03-03T12:00:00+01:00')
  const usual = Math.min(max_length, min_length + DEFAULT_LENGTH)
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.oneof(PLAIN, ODD).map(text => text.padEnd(min_length, 'x').slice(0, max_length)),
    },
    { weight: 2, arbitrary: fc.string({ minLength: min_length, maxLength: usual }) },
    {
      weight: 1,
      arbitrary: fc
        .string({ unit: 'grapheme', minLength: min_length, maxLength: usual })
        .map(text => makeWellFormed(text.slice(0, max_length))),
    },
    { weight: 1, arbitrary: fc.constant('x'.repeat(Math.min(max_length, MAX_LENGTH))) },
  )
}

/** Replaces half a surrogate pair, which a cut may leave and which cannot be sent. */
export function makeWellFormed(text: string): string {
  return Buffer.from(text).toString()
}

function drawMatching(pattern: string, min_length: number, max_length: number): fc.Arbitrary<string> {
  return fc
    .stringMatching(new RegExp(pattern, 'u'))
    .filter(text => text.length >= min_length && text.length <= Math.max(max_length, MAX_LENGTH))
}

function drawNumber(type: string, schema: Schema): fc.Arbitrary<number> {
  const min = Math.ceil(Number(schema.minimum ?? schema.exclusiveMinimum ?? -1_000_000))
  const max = Math.floor(Number(schema.maximum ?? schema.exclusiveMaximum ?? Number.MAX_SAFE_INTEGER))
  const small = fc.integer({ min, max: Math.max(min, Math.min(max, min + 10)) })
  const whole = fc.oneof(
    small,
    small,
    fc.maxSafeInteger().map(n => Math.min(max, Math.max(min, n))),
  )
  const edges = fc.constantFrom(min, max, 1_772_539_200).filter(n => n >= min && n <= max)
  if (type === 'integer') return fc.oneof(whole, edges)
  return fc.oneof(whole, edges, fc.double({ min, max, noNaN: true, noDefaultInfinity: true }))
}
