import { describe, expect, it } from 'vitest'
import { expectProblem, openText } from './fixtures.testing.ts'
import { openEvidence } from './index.ts'
import { readJson } from './json-file.ts'
import { getDeepField, getField, listItems, readCount, readText } from './json-node.ts'

const MIB = 1024 * 1024
const read = (text: string) => readJson(openText('a.json', text))

describe('JSON', () => {
  it.each([
    ['{"a": [1, "x", null, true, -1.5e3]}', { a: [1, 'x', null, true, -1500] }],
    ['\ufeff[]', []],
    [' "text" ', 'text'],
    ['{"__proto__": {"a": 1}}', JSON.parse('{"__proto__": {"a": 1}}')],
  ])('is read: %s', (text, value) => expect(read(text).value).toEqual(value))

  it.each([
    ['', 'a.json, line 1, column 1: expected a value, found the end of the file.'],
    [
      '{"a": 1',
      "line 1, column 8: expected ',' or the end of the list or object, found the end of the file.",
    ],
    ['{"a": 1,\n  b: 2}', 'line 2, column 3: expected a name in double quotes.'],
    ['{"a" 1}', "line 1, column 6: expected ':'."],
    ['{"a": }', 'line 1, column 7: expected a value.'],
    ['[1, 2,]', 'line 1, column 7: expected a value.'],
    ['[,]', "line 1, column 2: expected a value or ']'."],
    ['{1}', "line 1, column 2: expected a name in double quotes or '}'."],
    ['[1 2]', "line 1, column 4: expected ',' or the end of the list or object."],
    ['[1}', "line 1, column 3: expected ',' or the end of the list or object."],
    ['{} {}', 'line 1, column 4: expected nothing more.'],
    ['[01]', "line 1, column 2: expected a value or ']'."],
    ['["\\x"]', "line 1, column 2: expected a value or ']'."],
    ['["a\nb"]', "line 1, column 2: expected a value or ']'."],
    ['["open]', "line 1, column 2: expected a value or ']'."],
    ['[NaN]', "line 1, column 2: expected a value or ']'."],
    ["{'a': 1}", 'line 1, column 2: expected a name'],
    ['<html>', 'line 1, column 1: expected a value.'],
  ])('is refused with its place: %j', (text, sentence) => expectProblem(() => read(text), sentence))

  it('is refused if it is not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":\n"'), Buffer.from([0xff]), Buffer.from('"}')])
    expectProblem(() => readJson(openEvidence('a.json', bytes)), 'a.json, line 2: expected text in UTF-8')
  })

  it.each([
    ['lists', '['.repeat(201)],
    ['objects', '{"a":'.repeat(201)],
    ['a million lists', '['.repeat(1_000_000)],
  ])('is refused if it is nested too deeply: %s', (_, text) => {
    expectProblem(() => read(text), 'a.json, line 1: expected JSON that is nested at most 200 levels deep.')
  })

  it('may have brackets in strings', () => {
    expect(read(`["${'['.repeat(1000)}\\"${'{'.repeat(1000)}"]`).value).toHaveLength(1)
  })

  it('is refused above 64 MiB', () => {
    const file = openEvidence('a.json', Buffer.alloc(64 * MIB + 1, ' '))
    expectProblem(() => readJson(file), 'a.json: expected at most 64 MiB of JSON, found 65 MiB.')
  })

  it('gets an error with its place even in a string and a number of megabytes', () => {
    expectProblem(() => read(`["${'x'.repeat(8 * MIB)}", ]`), 'line 1, column 8388614: expected a value.')
    expectProblem(() => read(`[${'1'.repeat(8 * MIB)}, ]`), 'line 1, column 8388612: expected a value.')
  })
})

describe('the place', () => {
  const root = read('{"a b": {"list": [{"n": -1}, 2]}, "n": 1.5, "t": 7, "big": 1e999}')
  it.each([
    [
      'of a number',
      () => readCount(getDeepField(root, 'n'), 'a count'),
      '$.n: expected a count (an integer from 0 on), found 1.5.',
    ],
    [
      'of infinity',
      () => readCount(getDeepField(root, 'big'), 'a count'),
      '$.big: expected a count (an integer from 0 on), found Infinity.',
    ],
    ['of text', () => readText(getField(root, 't'), 'a name'), '$.t: expected a name (text), found 7.'],
    [
      'of an element',
      () =>
        listItems(getDeepField(root, 'a b', 'list'), 'x').map(item =>
          readCount(getField(item, 'n'), 'a count'),
        ),
      'a.json, $["a b"].list[0].n: expected a count (an integer from 0 on), found -1.',
    ],
    [
      'of nothing',
      () => listItems(getDeepField(root, 'no', 'where'), 'things'),
      '$.no.where: expected things (a list), found nothing.',
    ],
    [
      'of what every object inherits',
      () => readText(getField(root, 'constructor'), 'x'),
      '$.constructor: expected x (text), found nothing.',
    ],
  ])('%s', (_, readPlace, sentence) => expectProblem(readPlace, sentence))

  it('is in the error for a list with too many elements', () => {
    const many = { file: 'a.json', path: '$.x', value: new Array(1_000_001).fill(0) }
    expectProblem(
      () => listItems(many, 'x'),
      'a.json, $.x: expected at most 1000000 elements, found 1000001.',
    )
  })
})
