// Builds the OpenAPI 3.1 document: a pure function of the list of operations. Schemas with a `title` become
// components.
import type { TSchema } from 'typebox'
import { LIMITS } from '../api/limits.ts'
import type { Contract, Operation } from '../api/operation.ts'
import { ABOUT, about } from '../api/shared/wire.ts'
import { isRole, type Role } from '../domain/roles.ts'
import { hasBrandedKeys } from './compat.ts'
import { buildFailure, buildHeaderRefs, listFailures } from './openapi-errors.ts'
import { buildExample } from './openapi-examples.ts'
import { liftField, liftSchemas } from './openapi-fields.ts'
import {
  buildInfo,
  buildTags,
  HEADERS,
  IDEMPOTENCY_KEY,
  LAST_EVENT_ID,
  SECURITY_SCHEMES,
} from './openapi-info.ts'

type Json = Record<string, unknown>

export interface DocumentInfo {
  version: string
  /** The documentation page uses the first one: relative, so that it works under any host name. */
  server_urls: string[]
}

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string', ...about('The error, as a sentence', 'Input payload validation failed') },
    errors: {
      type: 'object',
      additionalProperties: { type: 'string' },
      ...about('For invalid input: a sentence for each field, by its path', { name: 'Field required' }),
    },
  },
  additionalProperties: false,
}

const DEFAULT_SECURITY = [{ bearer: [] }, { basic: [] }, { session: [] }]

export function buildOpenapi(operations: readonly Operation[], info: DocumentInfo): Json {
  const schemas = buildSchemas(operations)
  const paths: Record<string, Json> = {}
  for (const { contract } of operations) {
    // A parameter for the rest of the path is written like any other: OpenAPI has no notation for it.
    const place = contract.path.replace('+}', '}')
    paths[place] = { ...paths[place], [contract.method.toLowerCase()]: buildOperation(contract, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: buildInfo(info.version),
    servers: info.server_urls.map((url, place) => ({
      url,
      description: place === 0 ? 'The service that serves this document' : 'The same service by its full URL',
    })),
    tags: buildTags(new Set(operations.map(({ contract }) => contract.tag))),
    security: DEFAULT_SECURITY,
    paths,
    components: { schemas, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
  }
}

/**
 * Every titled schema of the operations, with descriptions; examples can be built only once all schemas are known.
 */
function buildSchemas(operations: readonly Operation[]): Json {
  const components: Json = { Error: ERROR_SCHEMA }
  for (const { contract } of operations) {
    for (const schema of [contract.body, contract.returns]) hoistSchema((schema ?? {}) as Json, components)
    for (const [, schema] of [...listProperties(contract.params), ...listProperties(contract.query)]) {
      hoistSchema(schema, components)
    }
  }
  const sorted = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))
  return openBranded(liftSchemas(Object.fromEntries(sorted)))
}

/** Responses may have more fields than such a schema names, so the schema must not be closed. */
function openBranded(schemas: Json): Json {
  const opened = Object.entries(schemas as Record<string, Json>).map(([title, schema]) => {
    const { additionalProperties: _, ...open } = schema
    return [title, hasBrandedKeys(Object.keys((schema.properties ?? {}) as Json)) ? open : schema]
  })
  return Object.fromEntries(opened)
}

function buildOperation(contract: Contract, schemas: Json): Json {
  const parameters = buildParameters(contract, schemas)
  return {
    operationId: contract.id,
    tags: [contract.tag],
    summary: contract.summary,
    description: renderDescription(contract),
    security: buildSecurity(contract),
    ...(contract.deprecated ? { deprecated: true } : {}),
    ...(contract.beta ? { 'x-beta': true } : {}),
    'x-access': contract.access,
    ...(contract.auditors ? { 'x-auditors': true } : {}),
    parameters,
    ...buildBody(contract, schemas),
    responses: buildResponses(contract, schemas, buildExamplePath(contract, parameters)),
  }
}

const FOR_VISITORS = {
  public_read: 'In an organization with `public_read`, public flows can be read without a key',
  public_log: 'In an organization with `public_log`, no key is needed',
}

function renderDescription({
  access,
  auditors,
  summary,
  description,
  feature,
  visitors,
  beta,
  deprecated,
}: Contract): string {
  const sentences = [
    description ?? summary,
    isRole(access) ? describeRole(access, auditors) : '',
    visitors ? FOR_VISITORS[visitors] : '',
    feature ? `Returns 403 in an organization without the feature \`${feature}\`` : '',
    beta ? 'Beta: it may still change' : '',
    deprecated ? `Deprecated since ${deprecated.since.toISOString().slice(0, 10)}` : '',
  ]
  return sentences
    .filter(sentence => sentence !== '')
    .map(sentence => `${sentence.replace(/\.$/, '')}.`)
    .join(' ')
}

function describeRole(role: Role, auditors: true | undefined): string {
  const above = role === 'admin' ? '' : ' or above'
  return `Needs the role ${role}${above}${auditors ? ', or auditor' : ''}`
}

/** Public flows and logs can be read without credentials. */
function buildSecurity({ access, visitors }: Contract): Json[] {
  if (access === 'public') return []
  return [...DEFAULT_SECURITY, ...(visitors ? [{}] : [])]
}

function buildParameters(contract: Contract, schemas: Json): Json[] {
  const named = contract.method === 'POST' && contract.fails.includes(422)
  return [
    ...buildParametersIn('path', contract.params, contract.example?.params, schemas),
    ...buildParametersIn('query', contract.query, contract.example?.query, schemas),
    ...(named ? [IDEMPOTENCY_KEY] : []),
    ...(contract.streams ? [LAST_EVENT_ID] : []),
  ]
}

function buildParametersIn(
  place: 'path' | 'query',
  owner: TSchema | undefined,
  examples: Record<string, string> | undefined,
  schemas: Json,
): Json[] {
  const { required = [] } = (owner ?? {}) as { required?: string[] }
  return listProperties(owner).map(([name, own]) => {
    const { description, ...schema } = liftField(hoistSchema(own, {}), schemas)
    const given = examples?.[name]
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      example: given === undefined ? buildExample(schema, schemas) : parseExample(given, schema),
    }
  })
}

/** A parameter's example, converted to the type of its schema: contracts give examples as text. */
function parseExample(text: string, schema: Json): unknown {
  if (schema.type === 'integer' || schema.type === 'number') return Number(text)
  if (schema.type === 'boolean') return text === 'true'
  return schema.type === 'array' ? [text] : text
}

function buildExamplePath({ path }: Contract, parameters: readonly Json[]): string {
  const values = new Map(parameters.map(({ name, example }) => [name, String(example)]))
  return path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => values.get(name) ?? name)
}

function listProperties(schema: TSchema | undefined): [string, Json][] {
  const properties = (schema as { properties?: Record<string, Json> } | undefined)?.properties ?? {}
  return Object.entries(properties)
}

function buildBody(contract: Contract, schemas: Json): Json {
  const { body, form, example } = contract
  if (!body) return {}
  const schema = hoistSchema(body as unknown as Json, {})
  const json = example?.body ?? buildExample(schema, schemas)
  const content: Json = { 'application/json': { schema, example: json } }
  if (form) {
    content['multipart/form-data'] = {
      schema: buildFormSchema(form, schema),
      example: { [form.json_part]: json },
    }
  }
  const files = form
    ? `: as JSON, or as a form with the JSON in \`${form.json_part}\` and files as further parts`
    : ''
  return { requestBody: { required: true, description: `The request${files}`, content } }
}

function buildFormSchema(form: NonNullable<Contract['form']>, schema: Json): Json {
  const buildFileSchema = (description: string) => ({ type: 'string', format: 'binary', description })
  const parts: [string, Json][] = form.file_parts.map(name => [
    name,
    buildFileSchema('A file of the request'),
  ])
  if (form.evidence_part !== undefined) {
    const description = 'A file, stored unchanged and identified by its SHA-256'
    parts.push([
      form.evidence_part,
      {
        type: 'array',
        maxItems: LIMITS.evidence_files,
        items: buildFileSchema(description),
        description: 'The evidence: the part may be repeated, and each may have `Content-Encoding: gzip`',
      },
    ])
  }
  const json = { ...schema, description: 'The same as the JSON body' }
  return {
    type: 'object',
    ...(form.json_is_optional ? {} : { required: [form.json_part] }),
    properties: { [form.json_part]: json, ...Object.fromEntries(parts) },
  }
}

function buildResponses(contract: Contract, schemas: Json, path: string): Json {
  const schema = hoistSchema(contract.returns as unknown as Json, {})
  const types = [contract.streams ? 'text/event-stream' : (contract.download ?? 'application/json')].flat()
  const media = { schema, example: buildExample(schema, schemas) }
  const success = {
    headers: buildHeaderRefs(listSuccessHeaders(contract)),
    content: Object.fromEntries(types.map(type => [type, media])),
  }
  const done = contract.method === 'GET' ? 'The requested data' : 'Done'
  const responses: Json = contract.unimplemented
    ? {}
    : { 200: { description: contract.creates ? 'Done; nothing was created' : done, ...success } }
  if (contract.creates) responses[201] = { description: 'Created', ...success }
  if (contract.waits) {
    const waiting = hoistSchema(contract.waits as unknown as Json, {})
    const content = { 'application/json': { schema: waiting, example: buildExample(waiting, schemas) } }
    responses[202] = { description: 'Accepted; needs a second person', headers: success.headers, content }
  }
  for (const status of listFailures(contract)) responses[status] = buildFailure(contract, status, path)
  return responses
}

function listSuccessHeaders(contract: Contract): string[] {
  const { audit, audits_at_end, beta, deprecated, download, answer_headers } = contract
  const isLogged = !String(audit).startsWith('none') && !audits_at_end && contract.path.includes('{org}')
  return [
    'X-Request-ID',
    ...(isLogged ? ['Waybill-Log'] : []),
    ...(beta ? ['Waybill-Beta'] : []),
    ...(deprecated ? ['Deprecation'] : []),
    ...(download === 'image/svg+xml' ? ['ETag', 'Cache-Control'] : download ? ['Content-Disposition'] : []),
    ...(answer_headers ?? []),
  ]
}

/** Moves every titled schema into the components and leaves a reference. */
function hoistSchema(schema: Json, components: Json): Json {
  const { title, ...others } = schema
  // A property may be named `title` too; it is then a schema and not a name.
  const rest = typeof title === 'string' ? others : schema
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, hoistValue(value, components)]),
  )
  const own = schema[ABOUT] as Json | undefined
  if (typeof title !== 'string') return { ...inner, ...own }
  const known = components[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inner)) {
    throw new Error(`Two different schemas are titled ${title}`)
  }
  components[title] = inner
  return { $ref: `#/components/schemas/${title}`, ...own }
}

function hoistValue(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map(item => hoistValue(item, components))
  if (typeof value === 'object' && value !== null) return hoistSchema(value as Json, components)
  return value
}
