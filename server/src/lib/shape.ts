// Validates input against a JSON Schema and returns sentences by field. Bodies and files are validated as they are;
// query values arrive as text and are converted to the schema's type.

import { _ } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { isLooseAddress, isRepositoryAddress, isWebAddress } from './address-format.ts'
import type { FieldErrors } from './errors.ts'
import { once } from './once.ts'
import { redactSecrets } from './secrets.ts'
import { collectFieldErrors, type Wording } from './sentences.ts'

const ADDRESSES: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['uri', isWebAddress],
  ['repository-address', isRepositoryAddress],
  ['loose-address', isLooseAddress],
])

const COMMON = { allErrors: true, verbose: true, strict: false, removeAdditional: false } as const

export type ShapeCheck = (value: unknown, prefix: string) => FieldErrors | undefined

/** For JSON bodies and files. */
export function makeBodyShapeCheck(schema: TSchema): ShapeCheck {
  return makeShapeCheck(getBodyAjv, schema, false)
}

/** For path and query parameters, which arrive as text. */
export function makeTextShapeCheck(schema: TSchema): ShapeCheck {
  return makeShapeCheck(getTextAjv, schema, true)
}

const getBodyAjv = once(() => addFormats(new Ajv2020({ ...COMMON, coerceTypes: false })))
const getTextAjv = once(() => addFormats(new Ajv2020({ ...COMMON, coerceTypes: 'array' })))

/** Compiles each schema on first use, because compiling all of them at startup took most of a second. */
function makeShapeCheck(ajv: () => Ajv2020, schema: TSchema, from_text: boolean): ShapeCheck {
  return (value, prefix) => {
    // Ajv caches compiled schemas.
    const validate = ajv().compile(schema)
    const wording: Wording = { prefix, from_text }
    return validate(value) ? undefined : collectFieldErrors(validate.errors ?? [], wording)
  }
}

interface Place {
  parentData: Record<string | number, unknown>
  parentDataProperty: string | number
}

/** Also removes passwords from URLs: CI checkouts have one in their remote URL, and clients report it. */
function addFormats(ajv: Ajv2020): Ajv2020 {
  return ajv.removeKeyword('format').addKeyword({
    keyword: 'format',
    type: 'string',
    errors: false,
    error: { message: 'must match the format', params: ({ schema }) => _`{format: ${schema}}` },
    validate: (format: string, text: string, _schema?: object, place?: Place) => {
      if (format === 'email') return isMailAddress(text)
      const isValid = ADDRESSES.get(format)
      if (!isValid) return true
      if (!isValid(text)) return false
      if (place && text.includes('@')) place.parentData[place.parentDataProperty] = redactSecrets(text)
      return true
    },
  })
}

/** Rejects everything that a mail server could read as more than one address. */
export function isMailAddress(text: string): boolean {
  return /^[^@\s<>()[\],;:"\\\p{Cc}]+@[a-zA-Z0-9][a-zA-Z0-9-]*(\.[a-zA-Z0-9-]+)*$/u.test(text)
}
