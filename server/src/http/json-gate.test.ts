import { loadCounted } from '@waybill/testing/steps'
import { describe, expect, it } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { MAX_JSON_DEPTH, parseJson } from './json-gate.ts'

const parse = (text: string) => parseJson(Buffer.from(text), 'body')

/** The field errors of the rejection; fails if the text is accepted. */
function readRefusal(bytes: Buffer | string, field = 'body'): Record<string, string> {
  try {
    parseJson(Buffer.from(bytes as string), field)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error).toMatchObject({ status: 400, message: 'Input payload validation failed' })
    return error.errors ?? {}
  }
  throw new Error('the gate let it through')
}

const nestArrays = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)
const nestObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('accepted', () => {
  it.each(['null', 'true', '0', '-0.5e-3', '""', '[]', '{}', ' {"a" : [1, {"b": null}]} \n'])('%s', text => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['empty arrays', nestArrays(64)],
    ['a number in arrays', nestArrays(64, '1')],
    ['objects', nestObjects(64)],
    ['brackets in strings', JSON.stringify(['[{'.repeat(1000), '"[\\[', '\\'])],
    ['many arrays side by side', `[${'[],'.repeat(1000)}[]]`],
  ])('nesting of 64: %s', (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['equal keys of two objects', '[{"a":1},{"a":1},{"b":{"a":1}}]'],
    ['text that looks like a key twice', String.raw`{"a":"\"a\":1,\"a\":2","b":"{\"a\":1,\"a\":2}"}`],
    ['a backslash before the end of a string', String.raw`{"a\\":"\\","b":"\\\"a\":"}`],
    ['words that objects know', '{"constructor":1,"toString":2,"__proto__":{"a":1},"hasOwnProperty":3}'],
    ['space before the colon', '{"a" \n : 1, "b"\t:2}'],
    ['numeric keys', '{"2":"a","1":"b","10":"c"}'],
  ])('%s', (_, text) => {
    expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it.each(['9007199254740991', '-9007199254740991', '1e21', '1e300', '0.1', '0', '0.0', '0e-999', '1e-300'])(
    'the number %s',
    number => {
      expect(parse(number)).toBe(Number(number))
    },
  )

  it('surrogate pairs, escaped or not', () => {
    expect(parse(String.raw`["\ud83d\ude00", "😀", "a\uD83D\uDE00b"]`)).toEqual(['😀', '😀', 'a😀b'])
  })

  it('a long string of escapes', () => {
    const text = `"${'\\n'.repeat(500_000)}"`
    expect(parse(text)).toBe('\n'.repeat(500_000))
  })
})

describe('refused', () => {
  it.each([
    ['empty arrays', nestArrays(65)],
    ['a boolean in arrays', nestArrays(65, 'true')],
    ['objects', nestObjects(65)],
    ['arrays that never end', '['.repeat(65)],
  ])('nesting of 65: %s', (_, text) => {
    expect(readRefusal(text)).toEqual({ body: 'Nesting is deeper than 64' })
  })

  it('a million nested arrays, at once', async () => {
    const text = nestArrays(1_000_000)
    expect(readRefusal(text)).toEqual({ body: 'Nesting is deeper than 64' })
    const url = new URL('./json-gate.ts', import.meta.url)
    const { module, stepsOf } = await loadCounted<typeof import('./json-gate.ts')>(url)
    const parse = () => expect(() => module.parseJson(Buffer.from(text), 'body')).toThrow()
    expect(stepsOf(parse)).toBeLessThan(2 * MAX_JSON_DEPTH)
  })

  it.each([
    ['at the root', '"a\\u0000b"', 'body', 'Text contains a NUL character'],
    ['in a list', '{"a":[0,{"b":"\\u0000"}]}', 'a[1].b', 'Text contains a NUL character'],
    ['in a key', '{"a":{"\\u0000":1}}', 'a', 'A key contains a character that cannot be stored'],
  ])('NUL %s', (_, text, path, sentence) => {
    expect(readRefusal(text)).toEqual({ [path]: sentence })
  })

  it.each([
    ['the first half alone', String.raw`{"a":"\ud83d"}`],
    ['the first half before text', String.raw`{"a":"\ud83dx"}`],
    ['the second half alone', String.raw`{"a":"\ude00"}`],
    ['the halves in the wrong order', String.raw`{"a":"\ude00\ud83d"}`],
    ['a pair and a half', String.raw`{"a":"😀\ud83d"}`],
  ])('half of a surrogate pair: %s', (_, text) => {
    expect(readRefusal(text)).toEqual({ a: 'Text contains half of a surrogate pair' })
  })

  it('half of a surrogate pair in a key', () => {
    expect(readRefusal(String.raw`{"\ud83d":1}`)).toEqual({
      body: 'A key contains a character that cannot be stored',
    })
  })

  it.each(['9007199254740992', '-9007199254740993', '100000000000000000001'])('the number %s', number => {
    const sentence = 'Number is too large to be stored exactly; send it as text'
    expect(readRefusal(`{"a":[${number}]}`)).toEqual({ 'a[0]': sentence })
  })

  it.each([
    ...[
      '-0',
      '-0.0',
      '-0e5',
      '1e-400',
      '-1e-400',
      '5E-0400',
      `0.${'0'.repeat(400)}1`,
      `0.${'0'.repeat(280)}1e-60`,
    ],
  ])('the number %s', number => {
    const sentence = 'Number is a negative zero, or too close to zero to be stored; send 0'
    expect(readRefusal(`{"x":"1e-400 \\" -0","a":[1,{"b":${number}}]}`)).toEqual({ 'a[1].b': sentence })
  })

  it.each(['1e400', '-1e400', `1${'0'.repeat(400)}`])('the number %s', number => {
    expect(readRefusal(`{"a":{"b":${number}}}`)).toEqual({ 'a.b': 'Number is too large' })
  })

  it.each([
    ['at the top', '{"a":1,"a":1}'],
    ['deep down', '[[{"x":{"a":1,"b":2,"a":3}}]]'],
    ['one of them escaped', String.raw`{"a":1,"\u0061":2}`],
    ['an empty key', '{"":1,"":2}'],
    ['with space before the colon', '{"a" :1,"a"\n:2}'],
    ['__proto__', '{"__proto__":1,"__proto__":2}'],
  ])('a key twice: %s', (_, text) => {
    expect(readRefusal(text)).toEqual({ body: 'An object has the same key twice' })
  })

  it.each([
    ['a byte that never occurs', [0xff]],
    ['half of a character', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
  ])('bad UTF-8: %s', (_, bytes) => {
    const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
    expect(readRefusal(text)).toEqual({ body: 'Text is not valid UTF-8' })
  })

  it.each(['', ' ', '{', '[1,]', "{'a':1}", 'undefined', 'NaN', '01', '"\t"', '{"a":1}}', '\ufeff{}'])(
    'invalid JSON: %j',
    text => {
      const { body, ...rest } = readRefusal(text)
      expect(body).toMatch(/^Text is not valid JSON( at line \d+, column \d+)?$/)
      expect(rest).toEqual({})
    },
  )

  it('and says where', () => {
    expect(readRefusal('{"a": 1,\n  "b" 2}')).toEqual({ body: 'Text is not valid JSON at line 2, column 7' })
  })
})

describe('the refusal', () => {
  it('never repeats what was sent', () => {
    const secret = 'hunter2'
    const texts = [
      `{"password": "${secret}" oops}`,
      `${secret}`,
      `{"password": "${secret}`,
      `{"password": "${secret}\\u0000"}`,
      `{"password": "${secret}", "password": "${secret}"}`,
      `{"password": "${secret}\\ud83d"}`,
      nestArrays(65, `"${secret}"`),
    ]
    for (const text of texts) expect(JSON.stringify(readRefusal(text))).not.toContain(secret)
  })

  it('is keyed by the part, as validation does it', () => {
    expect(readRefusal('{', 'data_json')).toHaveProperty('data_json')
    expect(readRefusal('"\\u0000"', 'data_json')).toEqual({ data_json: 'Text contains a NUL character' })
    expect(readRefusal('{"a":["\\u0000"]}', 'data_json')).toEqual({
      'data_json.a[0]': 'Text contains a NUL character',
    })
  })
})
