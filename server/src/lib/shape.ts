// Shape checks: a JSON Schema compiled once, its complaints as sentences by field. Bodies and files are taken as they
// are; query values arrive as text and are read as the type the schema gives them.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import type { FieldErrors } from './errors.ts'
import { fieldErrors, type Wording } from './sentences.ts'

const COMMON = { allErrors: true, verbose: true, strict: false, removeAdditional: false } as const

export type ShapeCheck = (value: unknown, prefix: string) => FieldErrors | undefined

export interface Shapes {
  ofBody(schema: TSchema): ShapeCheck
  ofTexts(schema: TSchema): ShapeCheck
}

export function makeShapes(): Shapes {
  const bodies = new Ajv2020({ ...COMMON, coerceTypes: false, formats: { uri: isWebAddress } })
  const texts = new Ajv2020({ ...COMMON, coerceTypes: 'array', formats: { uri: isWebAddress } })
  return {
    ofBody: schema => checkWith(bodies, schema, false),
    ofTexts: schema => checkWith(texts, schema, true),
  }
}

function checkWith(ajv: Ajv2020, schema: TSchema, from_text: boolean): ShapeCheck {
  const validate = ajv.compile(schema)
  return (value, prefix) => {
    const wording: Wording = { prefix, from_text }
    return validate(value) ? undefined : fieldErrors(validate.errors ?? [], wording)
  }
}

/** Links are shown in browsers and mails, so only web addresses are links: never `javascript:`. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/[\s<>"\\]/.test(text) && URL.canParse(text)
}
