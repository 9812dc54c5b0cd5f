// The OpenAPI 3.1 document: a pure function of the list of operations. Schemas with a `title` become components.
import type { TSchema } from 'typebox'
import type { Contract, Operation } from '../api/operation.ts'
import { isRole } from '../domain/roles.ts'
import { failure, failuresOf, headersOf } from './openapi-errors.ts'
import { exampleOf } from './openapi-examples.ts'
import { HEADERS, IDEMPOTENCY_KEY, infoOf, SECURITY_SCHEMES, tagsOf } from './openapi-info.ts'
import { explained, explainedSchemas } from './openapi-words.ts'

export { failuresOf } from './openapi-errors.ts'

type Json = Record<string, unknown>

export interface DocumentInfo {
  version: string
  /** The first is the one that the documentation page tries: relative, so that it works under any name. */
  server_urls: string[]
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'string' } },
  },
  additionalProperties: false,
}

const USUAL_SECURITY = [{ bearer: [] }, { basic: [] }, { session: [] }]

export function openapi(operations: readonly Operation[], info: DocumentInfo): Json {
  const schemas = schemasOf(operations)
  const paths: Record<string, Json> = {}
  for (const { contract } of operations) {
    // A parameter that takes the rest of the path is written like any other: the document knows no such thing.
    const place = contract.path.replace('+}', '}')
    paths[place] = { ...paths[place], [contract.method.toLowerCase()]: describe(contract, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: infoOf(info.version),
    servers: info.server_urls.map((url, place) => ({
      url,
      description: place === 0 ? 'The service that this document comes from' : 'The same by its full address',
    })),
    tags: tagsOf(new Set(operations.map(({ contract }) => contract.tag))),
    security: USUAL_SECURITY,
    paths,
    components: { schemas, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
  }
}

/** Every titled schema of the operations, explained; examples can be made only when all are known. */
function schemasOf(operations: readonly Operation[]): Json {
  const components: Json = { Error: ERROR_SCHEMA }
  for (const { contract } of operations) {
    for (const schema of [contract.body, contract.returns]) hoisted((schema ?? {}) as Json, components)
    for (const [, schema] of [...propertiesOf(contract.params), ...propertiesOf(contract.query)]) {
      hoisted(schema, components)
    }
  }
  const sorted = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))
  return explainedSchemas(Object.fromEntries(sorted))
}

function describe(contract: Contract, schemas: Json): Json {
  const parameters = parametersOf(contract, schemas)
  return {
    operationId: contract.id,
    tags: [contract.tag],
    summary: contract.summary,
    description: descriptionOf(contract),
    security: securityOf(contract),
    ...(contract.deprecated ? { deprecated: true } : {}),
    ...(contract.beta ? { 'x-beta': true } : {}),
    'x-access': contract.access,
    parameters,
    ...bodyOf(contract, schemas),
    responses: responsesOf(contract, schemas, examplePath(contract, parameters)),
  }
}

function descriptionOf({
  access,
  summary,
  description,
  feature,
  visitors,
  beta,
  deprecated,
}: Contract): string {
  const sentences = [
    description ?? summary,
    isRole(access) ? `Needs the role ${access}${access === 'admin' ? '' : ' or above'}` : '',
    visitors ? 'In an organization with `public_read`, public flows are read without a key' : '',
    feature ? `Answers 403 in an organization that does not have the feature \`${feature}\`` : '',
    beta ? 'Beta: it may still change' : '',
    deprecated ? `Deprecated since ${deprecated.since.toISOString().slice(0, 10)}` : '',
  ]
  return sentences
    .filter(sentence => sentence !== '')
    .map(sentence => `${sentence.replace(/\.$/, '')}.`)
    .join(' ')
}

/** Reading a public flow needs no credentials. */
function securityOf({ access, visitors }: Contract): Json[] {
  if (access === 'public') return []
  return [...USUAL_SECURITY, ...(visitors ? [{}] : [])]
}

function parametersOf(contract: Contract, schemas: Json): Json[] {
  const named = contract.method === 'POST' && contract.fails.includes(422)
  return [
    ...parametersIn('path', contract.params, contract.example?.params, schemas),
    ...parametersIn('query', contract.query, contract.example?.query, schemas),
    ...(named ? [IDEMPOTENCY_KEY] : []),
  ]
}

function parametersIn(
  place: 'path' | 'query',
  owner: TSchema | undefined,
  examples: Record<string, string> | undefined,
  schemas: Json,
): Json[] {
  const { title = '', required = [] } = (owner ?? {}) as { title?: string; required?: string[] }
  return propertiesOf(owner).map(([name, own]) => {
    const { description, ...schema } = explained(hoisted(own, {}), { owner: title, name }, schemas)
    const given = examples?.[name]
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      example: given === undefined ? exampleOf(schema, schemas) : read(given, schema),
    }
  })
}

/** A parameter as its schema reads it: examples are the texts that are sent. */
function read(text: string, schema: Json): unknown {
  if (schema.type === 'integer' || schema.type === 'number') return Number(text)
  if (schema.type === 'boolean') return text === 'true'
  return schema.type === 'array' ? [text] : text
}

function examplePath({ path }: Contract, parameters: readonly Json[]): string {
  const values = new Map(parameters.map(({ name, example }) => [name, String(example)]))
  return path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => values.get(name) ?? name)
}

function propertiesOf(schema: TSchema | undefined): [string, Json][] {
  const properties = (schema as { properties?: Record<string, Json> } | undefined)?.properties ?? {}
  return Object.entries(properties)
}

function bodyOf(contract: Contract, schemas: Json): Json {
  const { body, form, example } = contract
  if (!body) return {}
  const schema = hoisted(body as unknown as Json, {})
  const json = example?.body ?? exampleOf(schema, schemas)
  const content: Json = { 'application/json': { schema, example: json } }
  if (form) {
    content['multipart/form-data'] = { schema: formSchema(form, schema), example: { [form.json_part]: json } }
  }
  const files = form
    ? `: as JSON, or as a form with the JSON in \`${form.json_part}\` and files beside it`
    : ''
  return { requestBody: { required: true, description: `What is sent${files}`, content } }
}

function formSchema(form: NonNullable<Contract['form']>, schema: Json): Json {
  const file = (description: string) => ({ type: 'string', format: 'binary', description })
  const parts = form.file_parts.map(name => [name, file('A file that belongs to the request')])
  if (form.evidence_part !== undefined) {
    parts.push([form.evidence_part, file('The evidence: kept as it is, and found by its SHA-256')])
  }
  const json = { ...schema, description: 'The same as the JSON body' }
  return {
    type: 'object',
    ...(form.json_is_optional ? {} : { required: [form.json_part] }),
    properties: { [form.json_part]: json, ...Object.fromEntries(parts) },
  }
}

function responsesOf(contract: Contract, schemas: Json, path: string): Json {
  const schema = hoisted(contract.returns as unknown as Json, {})
  const types = [contract.download ?? 'application/json'].flat()
  const media = { schema, example: exampleOf(schema, schemas) }
  const success = {
    headers: headersOf(successHeaders(contract)),
    content: Object.fromEntries(types.map(type => [type, media])),
  }
  const done = contract.method === 'GET' ? 'What was asked for' : 'Done'
  const responses: Json = {
    200: { description: contract.creates ? 'Done; nothing had to be created' : done, ...success },
  }
  if (contract.creates) responses[201] = { description: 'Created', ...success }
  if (contract.waits) {
    const waiting = hoisted(contract.waits as unknown as Json, {})
    const content = { 'application/json': { schema: waiting, example: exampleOf(waiting, schemas) } }
    responses[202] = { description: 'Waits for a second person', headers: success.headers, content }
  }
  for (const status of failuresOf(contract)) responses[status] = failure(contract, status, path)
  return responses
}

function successHeaders({ beta, deprecated, download, answer_headers }: Contract): string[] {
  return [
    'X-Request-ID',
    ...(beta ? ['Waybill-Beta'] : []),
    ...(deprecated ? ['Deprecation'] : []),
    ...(download ? ['Content-Disposition'] : []),
    ...(answer_headers ?? []),
  ]
}

/** Moves every titled schema into the components and leaves a reference. */
function hoisted(schema: Json, components: Json): Json {
  const { title, ...others } = schema
  // A property may be called `title` too; then it is a schema and no name.
  const rest = typeof title === 'string' ? others : schema
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
