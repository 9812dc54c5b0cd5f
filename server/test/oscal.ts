// Checks OSCAL documents: our schemas with the formats they name, and rules that a schema cannot express.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { OSCAL_ASSESSMENT_RESULTS_SCHEMA, OSCAL_CATALOGUE_SCHEMA } from './oscal-schema.ts'

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

/** Returns the problems of a document. */
export function findOscalProblems(kind: keyof typeof validators, document: unknown): string[] {
  const validate = validators[kind]
  const shape = validate(document) ? [] : (validate.errors ?? []).map(e => `${e.instancePath} ${e.message}`)
  return [...shape, ...findDuplicates(document)]
}

/** Every id and uuid is unique. */
function findDuplicates(document: unknown): string[] {
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
