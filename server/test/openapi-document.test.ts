// The document itself: valid, lint clean, complete, and every example in it of the shape it stands for. What is missing
// is listed by name: a description goes into the schema of the wire file, or into server/src/http/glossary.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../src/api/operations.ts'
import { buildOpenapi } from '../src/http/openapi.ts'
import { PLACEHOLDER } from '../src/http/openapi-examples.ts'
import { TAGS } from '../src/http/openapi-info.ts'
import { findStaleWords } from '../src/http/openapi-words.ts'

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
interface Described {
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
const described = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, ...one })),
)

/** What makes no sense here, and why. */
const RULES_OFF = {
  // Whoever runs the service is the contact, and that is not us.
  'info-contact': 'off',
  // A segment that is spelled out wins over a parameter, in the router as in the OpenAPI specification.
  'no-ambiguous-paths': 'off',
} as const

describe('the public rules', () => {
  it('find it valid', async () => {
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })

  it('find nothing to complain about', async () => {
    expect(await complaintsAbout(document)).toEqual([])
  })

  it('would complain about an operation that is described badly', async () => {
    const small = buildOpenapi(operations.slice(0, 1), { version: '0.0.0', server_urls: ['/api/v2'] })
    const paths = { ...(small.paths as Json), '/meta': { get: { operationId: 'getMeta', responses: {} } } }
    const about = async (document: Json) =>
      (await complaintsAbout(document)).filter(complaint => !complaint.startsWith('no-unused-components'))
    expect(await about(small)).toEqual([])
    expect((await about({ ...small, paths })).length).toBeGreaterThan(0)
    expect((await new Validator().validate({ ...structuredClone(small), info: {} })).valid).toBe(false)
  })
})

async function complaintsAbout(document: Json): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: RULES_OFF })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer ?? ''}`,
  )
}

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

/** A sentence, and not the name again. */
function saysSomething(description: unknown, name: string): boolean {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, ' ')
      .trim()
  return typeof description === 'string' && description.length > 2 && words(description) !== words(name)
}

describe('everything is described', () => {
  it('every property of every schema', () => {
    const silent = Object.entries(schemas)
      .flatMap(([name, schema]) => [...properties(schema, name)])
      .filter(([place, { description }]) => !saysSomething(description, place.split('.').at(-1) ?? ''))
      .map(([place]) => place)
    expect(silent).toEqual([])
  })

  it('every operation, with a tag that is explained', () => {
    const silent = described.filter(
      ({ summary, description, tags }) =>
        !saysSomething(summary, '') || !saysSomething(description, '') || tags.some(tag => !TAGS[tag]),
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
        .filter(one => !saysSomething(one.description, one.name) || one.example === undefined)
        .map(one => `${operationId} ${one.in} ${one.name}`),
    )
    expect(silent).toEqual([])
  })

  it('every body and every answer, with an example', () => {
    const silent = described.flatMap(({ operationId, requestBody, responses }) =>
      [...(requestBody ? [['body', requestBody] as const] : []), ...Object.entries(responses)]
        .filter(
          ([, one]) =>
            !saysSomething(one.description, '') ||
            Object.values(one.content ?? {}).length === 0 ||
            Object.values(one.content ?? {}).some(media => media.example === undefined),
        )
        .map(([what]) => `${operationId} ${what}`),
    )
    expect(silent).toEqual([])
  })

  it('every header that an answer has', () => {
    for (const { responses, operationId } of described) {
      for (const [status, answer] of Object.entries(responses)) {
        expect(Object.keys(answer.headers ?? {}), `${operationId} ${status}`).toContain('X-Request-ID')
        for (const name of Object.keys(answer.headers ?? {})) expect(headers).toHaveProperty([name])
      }
    }
  })

  it('by words that lead somewhere', () => {
    const owned = operations.flatMap(({ contract }) => [contract.params, contract.query]) as (
      | { title?: string; properties?: Json }
      | undefined
    )[]
    const parameters = owned.flatMap(owner =>
      Object.keys(owner?.properties ?? {}).map(name => `${owner?.title}.${name}`),
    )
    expect(findStaleWords(schemas, new Set(parameters))).toEqual([])
  })
})

/**
 * Only the size of the body bounds the text of a policy or catalogue and what tools write around a result; the others are compared
 * with what is stored and not kept.
 */
const NO_BOUND = new Set(['policy_yaml', 'catalogue', 'status', 'locations', 'physical_env_name', 'confirm'])

function isBounded({ type, pattern, maxLength, maxItems, enum: choices, const: constant }: Json): boolean {
  if (type === 'array') return maxItems !== undefined
  const isOpen = maxLength === undefined && choices === undefined && constant === undefined
  return type !== 'string' || !isOpen || /\{\d+(,\d+)?\}\$$/.test(String(pattern ?? ''))
}

describe('what must be said', () => {
  it('security, explicitly, and 401 where there is one', () => {
    for (const { operationId, security, responses, ...one } of described) {
      expect(security, operationId).toBeDefined()
      const isPublic = one['x-access'] === 'public'
      expect(security?.length === 0, operationId).toBe(isPublic)
      if (!isPublic) expect(Object.keys(responses), operationId).toContain('401')
    }
  })

  it('the statuses that the machinery can answer', () => {
    for (const { operationId, method, responses } of described) {
      const machinery = ['400', '429', '503', ...(method === 'get' ? [] : ['413', '415'])]
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(machinery))
    }
  })

  it('what is beta and what is deprecated, with the headers that say so', () => {
    for (const { contract } of operations) {
      const one = described.find(({ operationId }) => operationId === contract.id)
      expect(one?.deprecated === true, contract.id).toBe(contract.deprecated !== undefined)
      expect(one?.['x-beta'] === true, contract.id).toBe(contract.beta === true)
      const told = Object.keys(one?.responses['200']?.headers ?? {})
      expect(told.includes('Deprecation'), contract.id).toBe(contract.deprecated !== undefined)
      expect(told.includes('Waybill-Beta'), contract.id).toBe(contract.beta === true)
    }
    expect(described.filter(({ deprecated }) => deprecated).length).toBeGreaterThanOrEqual(5)
  })

  it('a bound for every text and list of a body', () => {
    const unbounded = operations.flatMap(({ contract }) =>
      [...properties(contract.body, contract.id)].filter(([, schema]) => !isBounded(schema)),
    )
    const names = unbounded.map(([place]) => place.split('.').at(-1) ?? '')
    expect(unbounded.map(([place]) => place).filter((_, i) => !NO_BOUND.has(names[i] ?? ''))).toEqual([])
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

  /** What is wrong with a value that stands for the schema. */
  function complaints(value: unknown, schema: Json): string[] {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  it('show values and not placeholders', () => {
    const holds = (value: unknown): boolean =>
      typeof value === 'object' && value !== null ? Object.values(value).some(holds) : value === PLACEHOLDER
    const empty = described.flatMap(({ operationId, parameters, requestBody, responses }) =>
      [
        ...parameters.map(({ name, example }) => ({ what: name, example })),
        ...[requestBody, ...Object.values(responses)].flatMap(one =>
          Object.entries(one?.content ?? {}).map(([what, { example }]) => ({ what, example })),
        ),
      ]
        .filter(({ example }) => holds(example))
        .map(({ what }) => `${operationId} ${what}`),
    )
    expect(empty).toEqual([])
  })

  it('of properties fit them', () => {
    const wrong = Object.entries(schemas).flatMap(([name, schema]) =>
      [...properties(schema, name)].flatMap(([place, property]) =>
        ((property.examples ?? []) as unknown[]).flatMap(example =>
          complaints(example, property).map(complaint => `${place}: ${complaint}`),
        ),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('of parameters fit them', () => {
    const wrong = described.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, schema, example }) =>
        complaints(example, schema).map(complaint => `${operationId} ${name}: ${complaint}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('of bodies, answers and errors fit them', () => {
    const wrong = described.flatMap(({ operationId, requestBody, responses }) =>
      [...(requestBody ? [['body', requestBody] as const] : []), ...Object.entries(responses)].flatMap(
        ([what, one]) =>
          Object.entries(one.content ?? {}).flatMap(([type, { schema, example }]) =>
            complaints(example, schema).map(complaint => `${operationId} ${what} ${type}: ${complaint}`),
          ),
      ),
    )
    expect(wrong).toEqual([])
  })
})
