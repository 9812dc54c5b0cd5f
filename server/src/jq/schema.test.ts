import { afterAll, describe, expect, it } from 'vitest'
import { PATIENT_JQ } from '../../test/harness.ts'
import { systemClock } from '../lib/clock.ts'
import { makeJqEngine } from './engine.ts'

const { forOrg, close } = makeJqEngine(PATIENT_JQ, systemClock)
const engine = forOrg({ org_id: 'acme', sponsor: 'acme', seconds_per_hour: null })
afterAll(close)

describe('findSchemaProblem', () => {
  it.each<[string, unknown]>([
    ['an empty schema', {}],
    [
      'a schema that names no dialect',
      { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } },
    ],
    ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{}] }],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }],
    ['draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', definitions: {} }],
    ['draft 6', { $schema: 'http://json-schema.org/draft-06/schema#' }],
    ['unknown keywords', { 'x-owner': 'team', deprecated: true }],
    ['a pattern of linear time', { pattern: '^(a+)+$' }],
    ['a format, which is an annotation', { format: 'made-up' }],
  ])('accepts %s', async (_, schema) => {
    expect(await engine.findSchemaProblem(schema)).toBeUndefined()
  })

  it.each<[string, unknown, RegExp]>([
    ['a made-up type', { type: 'nothing' }, /^schema is invalid: data\/type must be equal to one of/],
    ['a number', 5, /object or boolean/],
    ['a reference to a web address', { $ref: 'https://example.com/x.json' }, /can't resolve reference https/],
    ['an unresolvable reference', { $ref: '#/$defs/none' }, /can't resolve reference/],
    ['an unknown dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, /no schema with key/],
    ['a pattern with look-ahead', { pattern: '(?=a)b' }, /invalid or unsupported Perl syntax/],
    ['a broken pattern', { patternProperties: { '(': {} } }, /missing closing/],
    ['the id of the meta-schema', { $id: 'https://json-schema.org/draft/2020-12/schema' }, /already exists/],
    ['a promise', { $async: true }, /async is not supported/],
    ['more than 256 KiB', { description: 'x'.repeat(256 * 1024) }, /longer than 256 KiB/],
    ['more than 64 levels', nestSchema(65), /deeper than 64 levels/],
  ])('rejects %s', async (_, schema, problem) => {
    expect(await engine.findSchemaProblem(schema)).toMatch(problem)
  })
})

function nestSchema(levels: number): unknown {
  return levels === 0 ? {} : { not: nestSchema(levels - 1) }
}

describe('listSchemaErrors', () => {
  const person = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', pattern: '^[a-z]+$' },
      age: { type: 'integer', minimum: 0 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  }

  it('returns undefined for valid data', async () => {
    expect(await engine.listSchemaErrors(person, { name: 'ada', age: 36, tags: ['x'] })).toBeUndefined()
  })

  it('names every field and what is wrong with it', async () => {
    const data = { age: -1, tags: ['x', 5], extra: { deep: true }, __proto__: null }
    expect(await engine.listSchemaErrors(person, data)).toEqual({
      name: 'Field required [input: None]',
      age: 'Input should be greater than or equal to 0 [input: -1]',
      'tags[1]': 'Input should be a valid string [input: 5]',
      extra: 'Extra inputs are not permitted [input: {"deep":true}]',
    })
    expect(await engine.listSchemaErrors(person, { name: 'Ada' })).toEqual({
      name: "String should match pattern '^[a-z]+$' [input: Ada]",
    })
  })

  it('reports errors of the data as a whole', async () => {
    expect(await engine.listSchemaErrors(person, [])).toEqual({
      '': 'Input should be a valid dictionary [input: []]',
    })
    const both = { oneOf: [{ type: 'string' }, { minLength: 1 }] }
    expect(await engine.listSchemaErrors(both, 'x')).toEqual({
      '': 'Input must match exactly one schema in oneOf [input: x]',
    })
    expect(await engine.listSchemaErrors(false, 'x')).toEqual({
      '': 'Input boolean schema is false [input: x]',
    })
  })

  it('keeps two patterns apart', async () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } }
    expect(await engine.listSchemaErrors(schema, { a: 'a', b: 'b' })).toBeUndefined()
    expect(Object.keys((await engine.listSchemaErrors(schema, { a: 'b', b: 'b' })) ?? {})).toEqual(['a'])
  })

  it('keeps two schemas apart: neither can refer to the other', async () => {
    const theirs = {
      $id: 'https://example.com/theirs',
      $defs: { s: { $id: 'https://example.com/s', type: 'string' } },
    }
    expect(await engine.listSchemaErrors(theirs, 1)).toBeUndefined()
    expect(await engine.findSchemaProblem({ $ref: 'https://example.com/s' })).toMatch(/can't resolve/)
    const same_id = { $id: 'https://example.com/theirs', type: 'string' }
    expect(await engine.listSchemaErrors(same_id, 1)).toEqual({
      '': 'Input should be a valid string [input: 1]',
    })
  })

  it('needs linear time for a pattern that would cause backtracking', async () => {
    const errors = await engine.listSchemaErrors({ pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}b`)
    // There is a result, so the check was not stopped.
    expect(errors?.['']).toMatch(/^String should match pattern /)
  })

  it('is stopped after a second, and the next check works', async () => {
    const pairs = Array.from({ length: 60_000 }, (_, i) => ({ i }))
    expect(await engine.listSchemaErrors({ uniqueItems: true }, pairs)).toEqual({
      '': 'Checking the data against the schema takes longer than 1 s',
    })
    expect(await engine.listSchemaErrors({ type: 'string' }, 'x')).toBeUndefined()
  })

  it('survives a schema that refers to itself endlessly', async () => {
    expect(await engine.listSchemaErrors({ $ref: '#' }, 1)).toEqual({
      '': 'Input cannot be checked: the schema refers to itself endlessly [input: None]',
    })
  })

  it('returns the first hundred of many errors', async () => {
    const errors = await engine.listSchemaErrors({ items: { type: 'string' } }, Array(5000).fill(1))
    expect(Object.keys(errors ?? {})).toHaveLength(100)
  })

  it('shows only a part of large data', async () => {
    const errors = await engine.listSchemaErrors({ enum: ['a'] }, 'x'.repeat(500_000))
    expect(errors?.['']).toHaveLength("Input should be 'a' [input: …]".length + 100)
  })

  it('rejects data above 1 MiB', async () => {
    expect(await engine.listSchemaErrors({}, 'x'.repeat(1024 * 1024))).toEqual({
      '': 'The data exceeds 1 MiB',
    })
  })
})
