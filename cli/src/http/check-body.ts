// Checks a request body against the OpenAPI document, so that a dry run rejects whatever the service would
// reject.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import document from '../../../server/dist/openapi.json' with { type: 'json' }
import { failUsage } from '../program/problem.ts'

interface Checked {
  method: string
  template: string
  body: unknown
}

interface Content {
  schema: object
}

export function checkBody(checked: Checked): void {
  const [problem] = makeBodyCheck()(checked)
  if (problem !== undefined)
    failUsage(`${problem.field}: ${problem.message}`, 'The service would refuse this request.')
}

export interface BodyProblem {
  field: string
  message: string
}

/** Returns every problem in a body. */
export function makeBodyCheck(): (checked: Checked) => BodyProblem[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(document, 'document')
  return ({ method, template, body }) => {
    // The JSON part of a form has the same schema as the body without files.
    const schema = findContent(method, template)['application/json']?.schema
    if (schema === undefined) return []
    const validate = ajv.compile(pointIntoDocument(schema))
    return validate(body) ? [] : (validate.errors ?? []).map(describeError)
  }
}

function describeError({ instancePath, message, params }: ErrorObject): BodyProblem {
  const field = instancePath.slice(1).replaceAll('/', '.') || 'body'
  const named = params.additionalProperty ?? params.propertyName
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : ''
  const which = typeof named === 'string' ? ` (${named})` : ''
  return { field, message: `${message ?? 'is not valid'}${which}${allowed}` }
}

function findContent(method: string, template: string): Record<string, Content> {
  const paths = document.paths as Record<
    string,
    Record<string, { requestBody?: { content: Record<string, Content> } }>
  >
  return paths[template]?.[method.toLowerCase()]?.requestBody?.content ?? {}
}

/** References stay within the document. */
function pointIntoDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}
