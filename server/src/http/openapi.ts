// The OpenAPI 3.1 document: a pure function of the list of operations. Schemas with a `title` become components.
import type { TSchema } from 'typebox'
import { LIMITS } from '../api/limits.ts'
import type { Contract, Operation } from '../api/operation.ts'
import { isRole } from '../domain/roles.ts'
import { SESSION_COOKIE } from '../lib/session-token.ts'

type Json = Record<string, unknown>

export interface DocumentInfo {
  version: string
  /** The first is the one that the documentation page tries: relative, so that it works under any name. */
  server_urls: string[]
}

const STATUS_TEXT: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  400: 'The input is not valid; `errors` names each field',
  401: 'Credentials are missing or not valid',
  403: 'The caller has no access',
  404: 'Not found',
  409: 'In conflict with what is stored',
  413: 'Larger than allowed',
  422: 'The Idempotency-Key was used for another request',
  415: 'The content type is not supported',
  429: 'Too many requests; see Retry-After',
  503: 'Not available at the moment; see Retry-After',
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    errors: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Field path to sentence',
    },
  },
  additionalProperties: false,
}

const USUAL_SECURITY = [{ bearer: [] }, { session: [] }]

export function openapi(operations: readonly Operation[], info: DocumentInfo): Json {
  const components: Json = { Error: ERROR_SCHEMA }
  const paths: Record<string, Json> = {}
  for (const { contract } of operations) {
    // A parameter that takes the rest of the path is written like any other: the document knows no such thing.
    const place = contract.path.replace('+}', '}')
    const path = paths[place] ?? {}
    path[contract.method.toLowerCase()] = describe(contract, components)
    paths[place] = path
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version: '2.0',
      summary: 'Supply-chain compliance: artifacts, evidence, environments, policies',
      description: `Product version ${info.version}.\n\n${limitsTable()}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: info.server_urls.map(url => ({ url })),
    tags: [...new Set(operations.map(({ contract }) => contract.tag))].map(name => ({ name })),
    security: USUAL_SECURITY,
    paths,
    components: {
      schemas: sorted(components),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
        basic: { type: 'http', scheme: 'basic', description: 'An API key as the user name' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'A browser session. Methods other than GET need the token of `GET /auth/session` as `X-CSRF-Token`. Ignored ' +
            'when there is an `Authorization` header',
        },
      },
    },
  }
}

function describe(contract: Contract, components: Json): Json {
  const needs = isRole(contract.access) ? ` Needs the role ${contract.access} or above.` : ''
  return {
    operationId: contract.id,
    tags: [contract.tag],
    summary: contract.summary,
    description: `${contract.description ?? contract.summary}.${needs}`.replace('..', '.'),
    ...(contract.access === 'public' ? { security: [] } : {}),
    ...(contract.basic ? { security: [...USUAL_SECURITY, { basic: [] }] } : {}),
    ...(contract.deprecated ? { deprecated: true } : {}),
    ...(contract.beta ? { 'x-beta': true } : {}),
    'x-access': contract.access,
    parameters: parametersOf(contract, components),
    ...bodyOf(contract, components),
    responses: responsesOf(contract, components),
  }
}

function parametersOf(contract: Contract, components: Json): Json[] {
  const path = propertiesOf(contract.params).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: hoisted(schema, components),
  }))
  const query = propertiesOf(contract.query).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: hoisted(schema, components),
  }))
  return [...path, ...query]
}

function propertiesOf(schema: TSchema | undefined): [string, Json][] {
  const properties = (schema as { properties?: Record<string, Json> } | undefined)?.properties ?? {}
  return Object.entries(properties)
}

function bodyOf(contract: Contract, components: Json): Json {
  if (!contract.body) return {}
  const schema = hoisted(contract.body as unknown as Json, components)
  const example = contract.example?.body
  const json = { schema, ...(example === undefined ? {} : { example }) }
  const content: Json = { 'application/json': json }
  if (contract.form) content['multipart/form-data'] = { schema: formSchema(contract.form, schema) }
  return { requestBody: { required: true, content } }
}

function formSchema(form: NonNullable<Contract['form']>, schema: Json): Json {
  const parts = [...form.file_parts, ...(form.evidence_part === undefined ? [] : [form.evidence_part])]
  const files = parts.map(name => [name, { type: 'string', format: 'binary' }])
  return {
    type: 'object',
    required: [form.json_part],
    properties: { [form.json_part]: schema, ...Object.fromEntries(files) },
  }
}

function responsesOf(contract: Contract, components: Json): Json {
  const schema = hoisted(contract.returns as unknown as Json, components)
  const success = { content: { [contract.download ?? 'application/json']: { schema } } }
  const responses: Json = { 200: { description: STATUS_TEXT[200], ...success } }
  if (contract.creates) responses[201] = { description: STATUS_TEXT[201], ...success }
  for (const status of failuresOf(contract)) {
    const error = { schema: { $ref: '#/components/schemas/Error' } }
    responses[status] = { description: STATUS_TEXT[status], content: { 'application/json': error } }
  }
  return responses
}

/** What an operation declares, and what the machinery around every operation can answer. */
export function failuresOf(contract: Contract): number[] {
  const always = [400, 429, 503]
  const authenticated = contract.access === 'public' ? [] : [401]
  const withBody = contract.method === 'GET' ? [] : [413, 415]
  return [...new Set([...contract.fails, ...always, ...authenticated, ...withBody])].sort((a, b) => a - b)
}

/** Moves every titled schema into the components and leaves a reference. */
function hoisted(schema: Json, components: Json): Json {
  const { title, ...rest } = schema
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, walked(value, components)]),
  )
  if (typeof title !== 'string') return inner
  const known = components[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inner)) {
    throw new Error(`Two different schemas are called ${title}`)
  }
  components[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

function walked(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map(item => walked(item, components))
  if (typeof value === 'object' && value !== null) return hoisted(value as Json, components)
  return value
}

function sorted(components: Json): Json {
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function limitsTable(): string {
  const rows = Object.entries(LIMITS).map(([name, value]) => `| ${name.replaceAll('_', ' ')} | ${value} |`)
  return ['| limit | value |', '|---|---|', ...rows].join('\n')
}
