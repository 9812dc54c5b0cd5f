// Validates the shape of a request against the schemas of the operation's contract. Unknown fields are rejected.
import type { TSchema } from 'typebox'
import type { Contract } from '../api/operation.ts'
import { type FieldErrors, invalid } from '../lib/errors.ts'
import { describeUnreadableNumber } from '../lib/sentences.ts'
import { makeBodyShapeCheck, makeTextShapeCheck } from '../lib/shape.ts'

export interface Validators {
  params(values: unknown): void
  query(values: unknown): void
  body(value: unknown, prefix: string): void
}

const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as TSchema

export function makeValidators(contract: Contract): Validators {
  return {
    params: makeTextValidator(contract.params ?? NOTHING, ''),
    query: makeTextValidator(contract.query ?? NOTHING, 'query.'),
    body: makeBodyValidator(contract.body),
  }
}

function makeTextValidator(schema: TSchema, prefix: string) {
  const check = makeTextShapeCheck(schema)
  return (values: unknown) => {
    const texts = values as Record<string, unknown>
    const unsafe = findUnstorable(texts, prefix)
    if (unsafe) throw invalid(unsafe)
    // Checked first, because validation converts the texts to numbers.
    const misread = findMisspelledNumbers(schema, texts, prefix)
    const errors = { ...check(values, prefix), ...misread }
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }
}

const PLAIN_NUMBERS = {
  integer: /^-?(0|[1-9]\d*)$/,
  number: /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/,
}

/** `01`, `0x1`, ` 1` and `-0` would be parsed as numbers too. */
function findMisspelledNumbers(schema: TSchema, texts: Record<string, unknown>, prefix: string): FieldErrors {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const errors: [string, string][] = []
  for (const [name, text] of Object.entries(texts)) {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    if ((type !== 'integer' && type !== 'number') || typeof text !== 'string') continue
    const isPlain = PLAIN_NUMBERS[type].test(text) && !Object.is(Number(text), -0)
    if (!isPlain) errors.push([prefix + name, describeUnreadableNumber(type, text)])
  }
  return Object.fromEntries(errors)
}

/** Checks parameters as the JSON parser checks bodies: PostgreSQL accepts no NUL. */
function findUnstorable(values: Record<string, unknown>, prefix: string): FieldErrors | undefined {
  const found = Object.entries(values).find(([, value]) =>
    [value].flat().some(text => String(text).includes('\0')),
  )
  return found && { [prefix + found[0]]: 'Text contains a NUL character' }
}

function makeBodyValidator(schema: TSchema | undefined) {
  const check = makeBodyShapeCheck(schema ?? NOTHING)
  return (value: unknown, prefix: string) => {
    // Clients send the four bytes `null` if no body is needed.
    if (!schema && (value === undefined || value === null)) return
    const errors = value === undefined ? { body: 'Field required [input: None]' } : check(value, prefix)
    if (errors) throw invalid(nameBodyErrors(errors))
  }
}

/** An error about the whole body has no path. */
function nameBodyErrors(errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([path, text]) => [path.replace(/\.$/, '') || 'body', text]),
  )
}
