// The OpenAPI document is complete, and every example fits its schema. A failing test lists what is missing by name;
// add the description to the field in its wire file.
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { beforeAll, describe, expect, it } from 'vitest'
import { defineOperation } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { Closed, Described, Nullable, Time } from '../src/api/shared/wire.ts'
import { buildOpenapi } from '../src/http/openapi.ts'
import { PLACEHOLDER } from '../src/http/openapi-examples.ts'
import { TAGS } from '../src/http/openapi-info.ts'

type Json = Record<string, unknown>

interface Media {
  schema: Json
  example?: unknown
}
interface Answer {
  description?: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Media>
}
interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Json
  example?: unknown
}
interface OperationEntry {
  operationId: string
  summary?: string
  description?: string
  tags: string[]
  security?: Json[]
  deprecated?: boolean
  'x-beta'?: boolean
  'x-access': string
  parameters: Parameter[]
  requestBody?: { description?: string; content: Record<string, Media> }
  responses: Record<string, Answer>
}

const document = buildOpenapi(operations, { version: '0.0.0', server_urls: ['/api/v2'] })
const { schemas, headers } = document.components as { schemas: Record<string, Json>; headers: Json }
const described = Object.entries(document.paths as Record<string, Record<string, OperationEntry>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, ...one })),
)

/** `Schema.property` of every property of the components, with its schema. */
function* properties(value: unknown, owner: string): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'examples' || key === 'example') continue
    if (key !== 'properties') yield* properties(inner, owner)
    else {
      for (const [name, property] of Object.entries(inner as Record<string, Json>)) {
        yield [`${owner}.${name}`, property]
        yield* properties(property, `${owner}.${name}`)
      }
    }
  }
}

/** Whether a description is more than the name repeated. */
function isDescribed(description: unknown, name: string): boolean {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, ' ')
      .trim()
  return typeof description === 'string' && description.length > 2 && words(description) !== words(name)
}

/** The properties of the components that nothing describes. */
function findSilent(components: Record<string, Json>): string[] {
  return Object.entries(components)
    .flatMap(([name, schema]) => [...properties(schema, name)])
    .filter(([place, { description }]) => !isDescribed(description, place.split('.').at(-1) ?? ''))
    .map(([place]) => place)
}

/** The components of a document with one operation that returns these fields. */
function buildComponents(fields: Parameters<typeof Closed>[1]): Record<string, Json> {
  const operation = defineOperation(
    {
      id: 'getProbe',
      method: 'GET',
      path: '/probe',
      tag: 'Meta',
      summary: 'A probe',
      access: 'public',
      audit: 'none: reads',
      returns: Closed('Probe', fields),
      fails: [],
    },
    async () => ({}),
  )
  const probe = buildOpenapi([operation], { version: '0.0.0', server_urls: ['/api/v2'] })
  return (probe.components as { schemas: Record<string, Json> }).schemas
}

describe('everything is described', () => {
  it('every property of every schema', () => {
    expect(findSilent(schemas)).toEqual([])
  })

  it('only by its own schema, whatever its name', () => {
    const fields = {
      name: Type.String(),
      created_at: Time('Time of creation'),
      nested: Type.Object({ org: Type.Optional(Type.String()) }, { description: 'An object' }),
      list: Type.Array(Closed('ProbeItem', { id: Nullable(Type.String()) }), { description: 'A list' }),
    }
    expect(findSilent(buildComponents(fields))).toEqual(['Probe.name', 'Probe.nested.org', 'ProbeItem.id'])
  })

  it('by the schema it refers to, unless the field says more', () => {
    const Part = Closed(
      'ProbePart',
      { id: Type.String({ description: 'Id of the part' }) },
      { description: 'A part' },
    )
    const { Probe, ProbePart } = buildComponents({
      plain: Part,
      nullable: Nullable(Part),
      special: Type.Optional(Described(Part, 'The first part', { id: '1' })),
    })
    const $ref = '#/components/schemas/ProbePart'
    expect(Probe).toMatchObject({
      required: ['plain', 'nullable'],
      properties: {
        plain: { $ref, description: 'A part' },
        nullable: { anyOf: [{ $ref }, { type: 'null' }], description: 'A part' },
        special: { $ref, description: 'The first part', examples: [{ id: '1' }] },
      },
    })
    expect(ProbePart).toMatchObject({ description: 'A part' })
  })

  it('every operation, with a tag that is explained', () => {
    const silent = described.filter(
      ({ summary, description, tags }) =>
        !isDescribed(summary, '') || !isDescribed(description, '') || tags.some(tag => !TAGS[tag]),
    )
    expect(silent.map(({ operationId, tags }) => `${operationId} (${tags.join()})`)).toEqual([])
    const used = new Set(described.flatMap(({ tags }) => tags))
    expect((document.tags as { name: string }[]).map(({ name }) => name)).toEqual(
      Object.keys(TAGS).filter(name => used.has(name)),
    )
  })

  it('every parameter, with an example', () => {
    const silent = described.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(one => !isDescribed(one.description, one.name) || one.example === undefined)
        .map(one => `${operationId} ${one.in} ${one.name}`),
    )
    expect(silent).toEqual([])
  })

  it('every body and every response, with an example', () => {
    const silent = described.flatMap(({ operationId, requestBody, responses }) =>
      [...(requestBody ? [['body', requestBody] as const] : []), ...Object.entries(responses)]
        .filter(
          ([, one]) =>
            !isDescribed(one.description, '') ||
            Object.values(one.content ?? {}).length === 0 ||
            Object.values(one.content ?? {}).some(media => media.example === undefined),
        )
        .map(([what]) => `${operationId} ${what}`),
    )
    expect(silent).toEqual([])
  })

  it('every header of a response', () => {
    for (const { responses, operationId } of described) {
      for (const [status, answer] of Object.entries(responses)) {
        expect(Object.keys(answer.headers ?? {}), `${operationId} ${status}`).toContain('X-Request-ID')
        for (const name of Object.keys(answer.headers ?? {})) expect(headers).toHaveProperty([name])
      }
    }
  })
})

/**
 * The text of a policy or catalogue and the output of tools are limited only by the size of the body; the others are
 * compared with stored values and not kept.
 */
const UNBOUNDED = new Set(['policy_yaml', 'catalogue', 'status', 'locations', 'physical_env_name', 'confirm'])

function isBounded({ type, pattern, maxLength, maxItems, enum: choices, const: constant }: Json): boolean {
  if (type === 'array') return maxItems !== undefined
  const isOpen = maxLength === undefined && choices === undefined && constant === undefined
  return type !== 'string' || !isOpen || /\{\d+(,\d+)?\}\$$/.test(String(pattern ?? ''))
}

describe('the document states', () => {
  it('security explicitly, and 401 where a credential is needed', () => {
    for (const { operationId, security, responses, ...one } of described) {
      expect(security, operationId).toBeDefined()
      const isPublic = one['x-access'] === 'public'
      expect(security?.length === 0, operationId).toBe(isPublic)
      if (!isPublic) expect(Object.keys(responses), operationId).toContain('401')
    }
  })

  it('the statuses that the framework can return', () => {
    for (const { operationId, method, responses } of described) {
      const machinery = ['400', '429', '503', ...(method === 'get' ? [] : ['413', '415'])]
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(machinery))
    }
  })

  it('which operations are beta or deprecated, with the matching headers', () => {
    for (const { contract } of operations) {
      const one = described.find(({ operationId }) => operationId === contract.id)
      expect(one?.deprecated === true, contract.id).toBe(contract.deprecated !== undefined)
      expect(one?.['x-beta'] === true, contract.id).toBe(contract.beta === true)
      const names = Object.keys(one?.responses['200']?.headers ?? {})
      expect(names.includes('Deprecation'), contract.id).toBe(contract.deprecated !== undefined)
      expect(names.includes('Waybill-Beta'), contract.id).toBe(contract.beta === true)
    }
    expect(described.filter(({ deprecated }) => deprecated).length).toBeGreaterThanOrEqual(5)
  })

  it('a bound for every text and list of a body', () => {
    const unbounded = operations.flatMap(({ contract }) =>
      [...properties(contract.body, contract.id)].filter(([, schema]) => !isBounded(schema)),
    )
    const names = unbounded.map(([place]) => place.split('.').at(-1) ?? '')
    expect(unbounded.map(([place]) => place).filter((_, i) => !UNBOUNDED.has(names[i] ?? ''))).toEqual([])
  })

  it('the conventions', () => {
    const { description } = document.info as { description: string }
    for (const word of ['Errors', 'Pages', 'Idempotency-Key', 'Limits', 'json body bytes', 'Retry-After']) {
      expect(description).toContain(word)
    }
  })
})

describe('examples', () => {
  const compiled = new Map<string, ValidateFunction>()
  let ajv: Ajv2020
  beforeAll(() => {
    ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema({ $id: 'document', components: { schemas } })
  })

  /** The errors of a value that should fit the schema. */
  function findErrors(value: unknown, schema: Json): string[] {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  it('show values and not placeholders', () => {
    const isPlaceholder = (value: unknown): boolean =>
      typeof value === 'object' && value !== null
        ? Object.values(value).some(isPlaceholder)
        : value === PLACEHOLDER
    const empty = described.flatMap(({ operationId, parameters, requestBody, responses }) =>
      [
        ...parameters.map(({ name, example }) => ({ what: name, example })),
        ...[requestBody, ...Object.values(responses)].flatMap(one =>
          Object.entries(one?.content ?? {}).map(([what, { example }]) => ({ what, example })),
        ),
      ]
        .filter(({ example }) => isPlaceholder(example))
        .map(({ what }) => `${operationId} ${what}`),
    )
    expect(empty).toEqual([])
  })

  it('of properties fit them', () => {
    const wrong = Object.entries(schemas).flatMap(([name, schema]) =>
      [...properties(schema, name)].flatMap(([place, property]) =>
        ((property.examples ?? []) as unknown[]).flatMap(example =>
          findErrors(example, property).map(error => `${place}: ${error}`),
        ),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('of parameters fit them', () => {
    const wrong = described.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, schema, example }) =>
        findErrors(example, schema).map(error => `${operationId} ${name}: ${error}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('of bodies, responses and errors fit them', () => {
    const wrong = described.flatMap(({ operationId, requestBody, responses }) =>
      [...(requestBody ? [['body', requestBody] as const] : []), ...Object.entries(responses)].flatMap(
        ([what, one]) =>
          Object.entries(one.content ?? {}).flatMap(([type, { schema, example }]) =>
            findErrors(example, schema).map(error => `${operationId} ${what} ${type}: ${error}`),
          ),
      ),
    )
    expect(wrong).toEqual([])
  })
})
