// Whether a document is OSCAL as we write it: our schemas with the formats they name, and what a schema cannot say.
import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  OSCAL_ASSESSMENT_RESULTS_SCHEMA,
  OSCAL_CATALOGUE_SCHEMA,
} from '../src/domain/control/oscal-schema.ts'

const ajv = new Ajv2020({ allErrors: true, strict: true })
// The characters of RFC 3986, percent signs only before two hexadecimal digits, and one number sign at most.
const URI_REFERENCE =
  /^(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=[\]]|%[0-9A-Fa-f]{2})*(?:#(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)?$/
ajv.addFormat('uri', text => URI_REFERENCE.test(text) && URL.canParse(text))
ajv.addFormat('uri-reference', text => URI_REFERENCE.test(text))
ajv.addFormat('date-time', text => new Date(text).toISOString() === text)

const validators = {
  catalogue: ajv.compile(OSCAL_CATALOGUE_SCHEMA),
  assessment: ajv.compile(OSCAL_ASSESSMENT_RESULTS_SCHEMA),
}

/** Empty when there are none. */
export function oscalProblems(kind: keyof typeof validators, document: unknown): string[] {
  const validate = validators[kind]
  const shape = validate(document) ? [] : (validate.errors ?? []).map(e => `${e.instancePath} ${e.message}`)
  return [...shape, ...repeated(document)]
}

/** Nothing has the id or the uuid of something else. */
function repeated(document: unknown): string[] {
  const seen = new Set<string>()
  const problems: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key !== 'id' && key !== 'uuid') return value
    if (seen.has(value)) problems.push(`${value} is given twice`)
    seen.add(value)
    return value
  })
  return problems
}
