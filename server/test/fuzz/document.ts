// The document as the fuzz test reads it: every operation with its parameters, body, form and responses, and a check of
// values against its schemas.
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Contract, Operation } from '../../src/api/operation.ts'
import { listPaths } from '../../src/http/compat.ts'
import { buildOpenapi } from '../../src/http/openapi.ts'
import { API_PREFIX } from '../../src/http/server.ts'
import type { Schema } from './schema-values.ts'

interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Schema
}

interface Form {
  json_part: string
  is_json_required: boolean
  file_parts: string[]
  /** The parameters that may be sent several times. */
  repeated_parts: string[]
}

export interface DocumentedOperation {
  contract: Contract
  id: string
  method: string
  /** With `{name}` and, for the rest of a path, `{name+}`. */
  path: string
  access: string
  path_parameters: Parameter[]
  query_parameters: Parameter[]
  body: Schema | undefined
  example: Contract['example']
  form: Form | undefined
  /** Content by status: a schema for each media type. */
  answers: Record<string, Record<string, Schema>>
  /** Whether this path matches, in any spelling. */
  serves(path: string): boolean
}

interface DescribedOperation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
  'x-access': string
}

export interface FuzzDocument {
  operations: DocumentedOperation[]
  schemas: Record<string, Schema>
  /** Returns the problem with a value, or undefined. */
  findProblem(schema: Schema, value: unknown): string | undefined
  /** Checks texts from a query against the schema of the parameter. */
  isTextInvalid(schema: Schema, value: string | string[]): boolean
}

export function readDocument(operations: readonly Operation[]): FuzzDocument {
  const document = buildOpenapi(operations, { version: '0.0.0-test', server_urls: [API_PREFIX] })
  const { paths } = document as { paths: Record<string, Record<string, DescribedOperation>> }
  const { schemas } = document.components as { schemas: Record<string, Schema> }
  const asBody = makeCompiler(schemas, false)
  const asText = makeCompiler(schemas, 'array')
  return {
    operations: operations.map(({ contract }) => {
      const described = paths[contract.path.replace('+}', '}')]?.[contract.method.toLowerCase()]
      if (!described) throw new Error(`${contract.id} is not in the document`)
      return describeOperation(contract, described)
    }),
    schemas,
    findProblem: (schema, value) => {
      const validate = asBody(schema)
      if (validate(value)) return undefined
      return validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
    },
    isTextInvalid: (schema, value) => !asText({ properties: { value: schema } })({ value }),
  }
}

function describeOperation(contract: Contract, described: DescribedOperation): DocumentedOperation {
  const parameters = described.parameters ?? []
  const content = described.requestBody?.content ?? {}
  const patterns = listPaths(contract.path).map(compilePattern)
  return {
    contract,
    id: contract.id,
    method: contract.method,
    path: contract.path,
    access: described['x-access'],
    path_parameters: parameters.filter(parameter => parameter.in === 'path'),
    query_parameters: parameters.filter(parameter => parameter.in === 'query'),
    body: content['application/json']?.schema,
    example: contract.example,
    form: readForm(content['multipart/form-data']?.schema),
    answers: Object.fromEntries(
      Object.entries(described.responses).map(([status, answer]) => [
        status,
        Object.fromEntries(Object.entries(answer.content ?? {}).map(([type, { schema }]) => [type, schema])),
      ]),
    ),
    serves: path => patterns.some(pattern => pattern.test(path)),
  }
}

/** The JSON part is the one that is not a file. */
function readForm(schema: Schema | undefined): Form | undefined {
  if (!schema) return undefined
  const properties = Object.entries(schema.properties as Record<string, Schema>)
  const isFile = (part: Schema) => part.format === 'binary'
  const repeated_parts = properties
    .filter(([, part]) => part.items !== undefined && isFile(part.items as Schema))
    .map(([name]) => name)
  const single_parts = properties.filter(([, part]) => isFile(part)).map(([name]) => name)
  const file_parts = [...single_parts, ...repeated_parts]
  const [json_part = ''] = properties.map(([name]) => name).filter(name => !file_parts.includes(name))
  const required = (schema.required ?? []) as string[]
  return { json_part, is_json_required: required.includes(json_part), file_parts, repeated_parts }
}

function compilePattern(path: string): RegExp {
  const pattern = (API_PREFIX + path)
    .replaceAll('.', '\\.')
    .replace(/\{\w+\+\}$/, '.*')
    .replaceAll(/\{\w+\}/g, '[^/]*')
  return new RegExp(`^${pattern}$`)
}

const FORMATS: Record<string, (text: string) => boolean> = {
  uri: text => URL.canParse(text),
  email: text => /^[^@\s]+@[^@\s]+$/.test(text),
  'date-time': text => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
  date: text => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  uuid: text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
}

/** Compiles each schema once; references point into the document's components. */
function makeCompiler(schemas: Record<string, Schema>, coerceTypes: false | 'array') {
  const ajv = new Ajv2020({ strict: false, logger: false, coerceTypes, formats: FORMATS })
  ajv.addSchema({ $id: 'document', components: { schemas } })
  const compiled = new Map<string, ValidateFunction>()
  return (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, validate)
    return validate
  }
}
