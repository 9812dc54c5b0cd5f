// Checks a request body against the OpenAPI document, for dry runs: what the service would refuse, a dry run refuses.
import { Ajv2020 } from 'ajv/dist/2020.js'
import document from '../../../openapi.json' with { type: 'json' }
import { failUsage } from '../program/problem.ts'

interface Checked {
  method: string
  template: string
  body: unknown
}

interface Content {
  schema: object
}

export function checkBody({ method, template, body }: Checked): void {
  const content = findContent(method, template)
  // The JSON part of a form has the same schema as the body without files.
  const schema = content['application/json']?.schema
  if (schema === undefined) return
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(document, 'document')
  const validate = ajv.compile(pointIntoDocument(schema))
  if (validate(body)) return
  const [problem] = validate.errors ?? []
  const place = problem?.instancePath.slice(1).replaceAll('/', '.') || 'body'
  failUsage(`${place}: ${problem?.message ?? 'is not valid'}`, 'The service would refuse this request.')
}

function findContent(method: string, template: string): Record<string, Content> {
  const paths = document.paths as Record<
    string,
    Record<string, { requestBody?: { content: Record<string, Content> } }>
  >
  return paths[template]?.[method.toLowerCase()]?.requestBody?.content ?? {}
}

/** References stay inside the document. */
function pointIntoDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}
