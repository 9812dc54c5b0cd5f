// `npm run api:diff` reports changes that break API clients, and accepts all others.
import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../scripts/check/api-diff/compare.mjs'

interface Part {
  request?: object
  response?: object
  parameter?: object
}

/** A document with one operation that has this body, response and query parameter. */
function buildDocument({ request = {}, response = {}, parameter = {} }: Part, extra: object = {}) {
  const operation = {
    parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' }, ...parameter }],
    requestBody: { content: { 'application/json': { schema: request } } },
    responses: { 200: { content: { 'application/json': { schema: response } } } },
  }
  return { paths: { '/flows/{org}': { put: operation, ...extra } }, components: {} }
}

function breaks(before: Part, after: Part): boolean {
  return compareDocuments(buildDocument(before), buildDocument(after)).some(({ breaking }) => breaking)
}

const buildObject = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const text = { type: 'string' }

describe('breaks a client', () => {
  it.each<[string, Part, Part]>([
    [
      'a property removed from a request',
      { request: buildObject({ a: text }) },
      { request: buildObject({}) },
    ],
    [
      'a new required property in a request',
      { request: buildObject({}) },
      { request: buildObject({ a: text }, ['a']) },
    ],
    [
      'an optional property of a request that becomes required',
      { request: buildObject({ a: text }) },
      { request: buildObject({ a: text }, ['a']) },
    ],
    ['a type that a request no longer takes', { request: { type: ['string', 'null'] } }, { request: text }],
    [
      'a word that a request no longer takes',
      { request: { enum: ['a', 'b'] } },
      { request: { enum: ['a'] } },
    ],
    [
      'a limit of a request that is tightened',
      { request: { ...text, maxLength: 9 } },
      { request: { ...text, maxLength: 8 } },
    ],
    ['a new limit of a request', { request: text }, { request: { ...text, minLength: 1 } }],
    [
      'a property removed from an answer',
      { response: buildObject({ a: text }) },
      { response: buildObject({}) },
    ],
    [
      'a property of an answer that may be missing now',
      { response: buildObject({ a: text }, ['a']) },
      { response: buildObject({ a: text }) },
    ],
    ['an answer that may be null now', { response: text }, { response: { type: ['string', 'null'] } }],
    [
      'a change deep inside a list',
      { response: { items: buildObject({ a: text }) } },
      { response: { items: buildObject({}) } },
    ],
    ['a parameter that becomes required', {}, { parameter: { required: true } }],
  ])('%s', (_what, before, after) => {
    expect(breaks(before, after)).toBe(true)
  })

  it('an operation that is removed', () => {
    const before = buildDocument({}, { get: { responses: {} } })
    expect(compareDocuments(before, buildDocument({}))).toEqual([
      { breaking: true, where: 'GET /flows/{org}', what: 'operation removed' },
    ])
  })
})

describe('does not break a client', () => {
  it.each<[string, Part, Part]>([
    [
      'a new optional property in a request',
      { request: buildObject({}) },
      { request: buildObject({ a: text }) },
    ],
    [
      'a required property that becomes optional in a request',
      { request: buildObject({ a: text }, ['a']) },
      { request: buildObject({ a: text }) },
    ],
    [
      'a limit of a request that is loosened',
      { request: { ...text, maxLength: 9 } },
      { request: { ...text, maxLength: 10 } },
    ],
    [
      'a new property in an answer',
      { response: buildObject({}) },
      { response: buildObject({ a: text }, ['a']) },
    ],
    ['a new word in an answer', { response: { enum: ['a'] } }, { response: { enum: ['a', 'b'] } }],
  ])('%s, which is still reported', (_what, before, after) => {
    expect(compareDocuments(buildDocument(before), buildDocument(after))).not.toEqual([])
    expect(breaks(before, after)).toBe(false)
  })

  it('an unchanged document', () => {
    const same = buildDocument({
      request: buildObject({ a: text }, ['a']),
      response: buildObject({ a: { enum: ['a'] } }),
    })
    expect(compareDocuments(same, structuredClone(same))).toEqual([])
  })

  it('another description or example, which is not even listed', () => {
    const choose = (inner: object) => buildObject({ a: { anyOf: [{ ...text, ...inner }, { type: 'null' }] } })
    const compare = (inner: object) =>
      compareDocuments(
        buildDocument({ response: choose({ description: 'Old' }) }),
        buildDocument({ response: choose(inner) }),
      )
    expect(compare({ description: 'New', examples: ['a'] })).toEqual([])
    expect(compare({ description: 'New', maxLength: 1 })).toHaveLength(1)
  })

  it('a schema that refers to itself', () => {
    const tree = {
      schemas: { Tree: buildObject({ children: { items: { $ref: '#/components/schemas/Tree' } } }) },
    }
    const one = { ...buildDocument({ response: { $ref: '#/components/schemas/Tree' } }), components: tree }
    expect(compareDocuments(one, structuredClone(one))).toEqual([])
  })
})
