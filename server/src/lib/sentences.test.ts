import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { formatInput } from './sentences.ts'
import { makeBodyShapeCheck, makeTextShapeCheck } from './shape.ts'

const findBodyErrors = (schema: TSchema, value: unknown, prefix = '') =>
  makeBodyShapeCheck(schema)(value, prefix)
const field = (schema: TSchema) =>
  Type.Object({ field: schema }, { additionalProperties: false }) as unknown as TSchema
const findComplaint = (schema: TSchema, value: unknown) =>
  findBodyErrors(field(schema), { field: value })?.field

describe('a sentence', () => {
  it.each([
    ['a text', Type.String(), 3, 'Input should be a valid string [input: 3]'],
    ['a whole number', Type.Integer(), 1.5, 'Input should be a valid integer [input: 1.5]'],
    ['a number', Type.Number(), '1', 'Input should be a valid number [input: 1]'],
    ['a boolean', Type.Boolean(), 'yes', 'Input should be a valid boolean [input: yes]'],
    ['an object', Type.Object({}), [], 'Input should be a valid dictionary [input: []]'],
    ['a list', Type.Array(Type.String()), {}, 'Input should be a valid list [input: {}]'],
    ['nothing', Type.Null(), 1, 'Input should be a valid null [input: 1]'],
    ['anything but null', Type.String(), null, 'Input should be a valid string [input: None]'],
    [
      'a pattern',
      Type.String({ pattern: '^a\\.b$' }),
      'ab',
      "String should match pattern '^a\\.b$' [input: ab]",
    ],
    ['one character', Type.String({ minLength: 1 }), '', 'String should have at least 1 character [input: ]'],
    [
      'two characters',
      Type.String({ maxLength: 2 }),
      'abc',
      'String should have at most 2 characters [input: abc]',
    ],
    ['at least', Type.Integer({ minimum: 1 }), 0, 'Input should be greater than or equal to 1 [input: 0]'],
    ['at most', Type.Integer({ maximum: 9 }), 10, 'Input should be less than or equal to 9 [input: 10]'],
    ['one item', Type.Array(Type.Any(), { minItems: 1 }), [], 'List should have at least 1 item [input: []]'],
    [
      'two items',
      Type.Array(Type.Any(), { maxItems: 2 }),
      [1, 2, 3],
      'List should have at most 2 items [input: [1,2,3]]',
    ],
    [
      'no key',
      Type.Object({}, { maxProperties: 0 }),
      { a: 1 },
      'Dictionary should have at most 0 items [input: {"a":1}]',
    ],
    ['one of one', { enum: ['a'] }, 'b', "Input should be 'a' [input: b]"],
    ['one of two', { enum: ['asc', 'desc'] }, 'up', "Input should be 'asc' or 'desc' [input: up]"],
    ['one of three', { enum: ['a', 'b', 3] }, 'c', "Input should be 'a', 'b' or 3 [input: c]"],
    ['a constant', { const: '1.0' }, '2.0', "Input should be '1.0' [input: 2.0]"],
    [
      'an address',
      Type.String({ format: 'uri' }),
      '',
      'Input should be a valid URL, input is empty [input: ]',
    ],
    [
      'a web address',
      Type.String({ format: 'uri' }),
      'javascript:alert(1)',
      'Input should be a valid URL with the scheme http or https [input: javascript:alert(1)]',
    ],
  ] as [string, TSchema, unknown, string][])('for %s', (_, schema, value, sentence) => {
    expect(findComplaint(schema, value)).toBe(sentence)
  })

  it('omits the input if it is a secret', () => {
    const secret = Type.String({ minLength: 20, writeOnly: true })
    expect(findComplaint(secret, 'hunter2')).toBe('String should have at least 20 characters')
  })

  it('says that a text cannot be parsed as the expected type', () => {
    const query = Type.Object({ page: Type.Integer(), exact: Type.Boolean(), ratio: Type.Number() })
    expect(makeTextShapeCheck(query)({ page: 'one', exact: 'maybe', ratio: 'half' }, 'query.')).toEqual({
      'query.page': 'Input should be a valid integer, unable to parse string as an integer [input: one]',
      'query.exact': 'Input should be a valid boolean, unable to interpret input [input: maybe]',
      'query.ratio': 'Input should be a valid number, unable to parse string as a number [input: half]',
    })
  })
})

describe('a path', () => {
  const digests = Type.Record(Type.String(), Type.String({ pattern: '^x$' }))
  const artifacts = Type.Array(Type.Object({ digests, name: Type.String() }, { additionalProperties: false }))

  it('identifies the field by names and indexes', () => {
    const value = { field: [{ digests: { 'a/b~c': 'y' } }, { digests: {}, name: 'n', extra: [1] }] }
    expect(findBodyErrors(field(artifacts), value, 'data_json.')).toEqual({
      'data_json.field[0].name': 'Field required [input: None]',
      'data_json.field[0].digests.a/b~c': "String should match pattern '^x$' [input: y]",
      'data_json.field[1].extra': 'Extra inputs are not permitted [input: [1]]',
    })
  })

  it('names a bad key itself, once', () => {
    const keyed = { type: 'object', propertyNames: { pattern: '^[a-z]+$' } } as unknown as TSchema
    expect(findBodyErrors(field(keyed), { field: { A1: 1, ok: 2 } })).toEqual({
      'field.A1': "String should match pattern '^[a-z]+$' [input: A1]",
    })
  })

  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])('may be called %s', name => {
    const errors = findBodyErrors(field(Type.Any()), JSON.parse(`{"field":1,"${name}":2}`))
    expect(JSON.stringify(errors)).toBe(`{"${name}":"Extra inputs are not permitted [input: 2]"}`)
  })

  it('has one error, from the first branch of a union', () => {
    const union = Type.Union([Type.String({ pattern: '^a$' }), Type.Null()])
    expect(findBodyErrors(field(union), { field: 'b' })).toEqual({
      field: "String should match pattern '^a$' [input: b]",
    })
  })
})

describe('for a union with a discriminator', () => {
  const kind = (type: string, properties: Record<string, TSchema>) =>
    Type.Object(
      { type: Type.Optional(Type.Unsafe({ type: 'string', const: type })), ...properties },
      { additionalProperties: false },
    )
  const Hook = kind('HOOK', {
    url: Type.String({ pattern: '^https:' }),
    version: Type.Optional(Type.Integer()),
  })
  const Mail = kind('MAIL', { emails: Type.Array(Type.String({ pattern: '@' }), { minItems: 1 }) })
  const kinds = Type.Array(Type.Unsafe({ anyOf: [Hook, Mail] }), { maxItems: 20 })
  const findComplaints = (...items: unknown[]) => findBodyErrors(field(kinds), { field: items })

  it('only the named kind reports errors', () => {
    const url = "String should match pattern '^https:' [input: x]"
    expect(findComplaints({ type: 'HOOK', url: 'x' })).toEqual({ 'field[0].url': url })
    expect(findComplaints({ type: 'MAIL', url: 'x', emails: ['@', 'x'] })).toEqual({
      'field[0].url': 'Extra inputs are not permitted [input: x]',
      'field[0].emails[1]': "String should match pattern '@' [input: x]",
    })
  })

  it('the best match reports errors if no kind is named', () => {
    expect(findComplaints({ emails: ['x'] })).toEqual({
      'field[0].emails[0]': "String should match pattern '@' [input: x]",
    })
    expect(findComplaints({ url: 'x', version: 1 })).toEqual({
      'field[0].url': "String should match pattern '^https:' [input: x]",
    })
    expect(findComplaints({})).toEqual({ 'field[0].url': 'Field required [input: None]' })
  })

  it('all kinds are listed if the named one does not exist', () => {
    for (const [type, shownType] of [
      ['FAX', 'FAX'],
      [null, 'None'],
      [7, '7'],
    ]) {
      expect(findComplaints({ type, url: 'x', emails: 3 })).toEqual({
        'field[0].type': `Input should be 'HOOK' or 'MAIL' [input: ${shownType}]`,
      })
    }
  })

  it('each item of a list is handled separately', () => {
    const items = Array.from({ length: 12 }, (_, i) => (i % 2 ? { type: 'MAIL' } : { type: 'HOOK' }))
    expect(Object.keys(findComplaints(...items) ?? {})).toEqual(
      items.map((_, i) => `field[${i}].${i % 2 ? 'emails' : 'url'}`),
    )
    expect(findComplaints('x', { type: 'HOOK', url: 'https:' })).toEqual({
      'field[0]': 'Input should be a valid dictionary [input: x]',
    })
  })

  it('neither a secret object nor its extra fields are shown', () => {
    const secret = Type.Object({ a: Type.String() }, { additionalProperties: false, writeOnly: true })
    expect(findBodyErrors(field(secret), { field: { b: 'hunter2' } })).toEqual({
      'field.a': 'Field required [input: None]',
      'field.b': 'Extra inputs are not permitted',
    })
    expect(findComplaint(secret, 'hunter2')).toBe('Input should be a valid dictionary')
  })

  it.each(['secret', 'token', 'webhook'])('a %s is not shown even if the field is not accepted', name => {
    const nothing = Type.Object({}, { additionalProperties: false })
    expect(findBodyErrors(nothing, { [name]: 'hunter2' })).toEqual({
      [name]: 'Extra inputs are not permitted',
    })
    expect(findBodyErrors(nothing, { targets: [{ [name]: 'hunter"2\\', a: 1 }] })).toEqual({
      targets: `Extra inputs are not permitted [input: [{"${name}":"…","a":1}]]`,
    })
    expect(findComplaint(Type.String(), { [name]: 'hunter2'.repeat(1_000) })).not.toContain('hunter2')
  })
})

describe('the shown input', () => {
  it.each([
    [undefined, 'None'],
    [null, 'None'],
    ['', ''],
    ['as it is', 'as it is'],
    [false, 'false'],
    [{ a: ['b'] }, '{"a":["b"]}'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), `${'x'.repeat(100)}…`],
  ])('of %j is %j', (value, text) => {
    expect(formatInput(value)).toBe(text)
  })

  it('is never truncated inside a character', () => {
    expect(formatInput(`${'x'.repeat(99)}😀😀`)).toBe(`${'x'.repeat(99)}…`)
    expect(formatInput(`${'x'.repeat(98)}😀😀`)).toBe(`${'x'.repeat(98)}😀…`)
  })
})
