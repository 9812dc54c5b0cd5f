// Ways to break JSON: values that no schema or database should accept, and text that is not valid JSON.
import fc from 'fast-check'
import type { Break } from './break.ts'
import type { FuzzDocument } from './document.ts'
import type { Draft } from './requests.ts'

type Path = readonly (string | number)[]

const ODD_VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    '',
    ' ',
    'text',
    [],
    {},
    [[]],
    [null],
    { a: 1 },
    { '': '' },
    [{}],
    '0',
    '1',
  ],
]
const ODD_NUMBERS = [
  1e21, 1e308, -1e308, 1e-320, -0.5, 0, -1, 2_147_483_648, 253_402_300_800, -62_135_596_801,
]
const ODD_TEXTS = [
  ...[
    '',
    ' ',
    ' a',
    'a ',
    'a b',
    'a\nb',
    'a\tb',
    'ä',
    '日本',
    '😀',
    '\u202e',
    '\ufeff',
    '\u200b',
    '\u0001',
    '\u007f',
  ],
  ...[
    '../x',
    './x',
    '%2e',
    '-x',
    '.x',
    '~',
    "';--",
    '<script>',
    '$'.repeat(10),
    '{{x}}',
    '__proto__',
    'null',
    '*',
    '#1',
  ],
  ...[
    'javascript:alert(1)',
    'https://',
    'http://[',
    'https://example.com:99999',
    'a@',
    '@',
    'İ',
    'e\u0301',
    'ＡＢ',
  ],
]
const LENGTHS = [65, 256, 1_001, 5_000, 70_000]

/** Every place in a value, starting with the whole value. */
function listPlaces(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, child]) =>
          listPlaces(child, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : []
  return [{ path, value }, ...inner]
}

const GONE = Symbol('gone')

function changeAt(value: unknown, [step, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    const items = value.map((item, i) => (i === step ? changeAt(item, rest, change) : item))
    return items.filter(item => item !== GONE)
  }
  const entries = Object.entries(value as object).map(([key, child]) => [
    key,
    key === step ? changeAt(child, rest, change) : child,
  ])
  return Object.fromEntries(entries.filter(([, child]) => child !== GONE))
}

const parseJson = ({ json }: Draft): unknown => JSON.parse(json?.toString() ?? 'null')

/** Breaks one place in the value. The document's schema says whether the result is valid, unless it never is. */
function makeValueBreak(
  how: string,
  fits: (value: unknown) => boolean,
  changes: fc.Arbitrary<(old: unknown) => unknown>,
  is_never_valid = false,
): Break {
  const findPlaces = (draft: Draft) =>
    listPlaces(parseJson(draft)).filter(({ path, value }) => path.length > 0 && fits(value))
  return {
    how,
    weight: 4,
    applies: draft =>
      draft.operation.body !== undefined && draft.json !== undefined && findPlaces(draft).length > 0,
    of: (draft, document) =>
      fc.tuple(fc.constantFrom(...findPlaces(draft)), changes).map(([{ path }, change]) => {
        const value = changeAt(parseJson(draft), path, change)
        const is_certain = is_never_valid || isRefused(draft, document, value)
        return { json: Buffer.from(JSON.stringify(value)), is_certain }
      }),
  }
}

function isRefused({ operation: { body } }: Draft, document: FuzzDocument, value: unknown): boolean {
  return body !== undefined && document.findProblem(body, value) !== undefined
}

const isText = (value: unknown) => typeof value === 'string'
const isList = (value: unknown) => Array.isArray(value)

const VALUE_BREAKS: Break[] = [
  makeValueBreak(
    'a field is left out',
    () => true,
    fc.constant(() => GONE),
  ),
  makeValueBreak(
    'a value of another type',
    () => true,
    fc.constantFrom(...ODD_VALUES).map(value => () => value),
  ),
  makeValueBreak(
    'null',
    () => true,
    fc.constant(() => null),
  ),
  makeValueBreak(
    'an odd text',
    isText,
    fc.constantFrom(...ODD_TEXTS).map(value => () => value),
  ),
  makeValueBreak(
    'a text that is too long',
    isText,
    fc.constantFrom(...LENGTHS).map(length => old => String(old).padEnd(length, String(old) || 'x')),
  ),
  makeValueBreak(
    'an odd number',
    value => typeof value === 'number',
    fc.constantFrom(...ODD_NUMBERS).map(value => () => value),
  ),
  makeValueBreak(
    'a text that cannot be stored',
    isText,
    fc.constantFrom('\0', '\ud800', '\udc00').map(character => old => `${old}${character}`),
    true,
  ),
  makeValueBreak(
    'an integer that would be rounded',
    value => typeof value === 'number',
    fc.constantFrom(2 ** 53, -(2 ** 53), 2 ** 60).map(value => () => value),
    true,
  ),
  makeValueBreak(
    'a list with too many items',
    isList,
    fc.constantFrom(2, 101, 1_001).map(times => old => Array(times).fill((old as unknown[])[0] ?? 'x')),
  ),
  makeValueBreak(
    'an empty list',
    isList,
    fc.constant(() => []),
  ),
  {
    how: 'an unknown property',
    weight: 4,
    applies: ({ operation, json }) => operation.body !== undefined && json !== undefined,
    of: (draft, document) => {
      const objects = listPlaces(parseJson(draft)).filter(
        ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
      )
      const names = fc.constantFrom('no_such_property', 'constructor', 'toString', ' ', '', 'org_id', 'ñ')
      return fc.tuple(fc.constantFrom(...objects), names).map(([{ path }, name]) => {
        const value = changeAt(parseJson(draft), path, old => ({ ...(old as object), [name]: 1 }))
        return { json: Buffer.from(JSON.stringify(value)), is_certain: isRefused(draft, document, value) }
      })
    },
  },
  {
    how: 'another value instead of the body',
    weight: 1,
    applies: ({ operation, json }) => operation.body !== undefined && json !== undefined,
    of: (draft, document) =>
      fc.constantFrom(...ODD_VALUES).map(value => ({
        json: Buffer.from(JSON.stringify(value)),
        is_certain: isRefused(draft, document, value),
      })),
  },
]

const nestObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** Repeats the first field unchanged: only a parser that counts keys can notice. */
function repeatFirstKey(json: string): string {
  const [first] = Object.entries(JSON.parse(json))
  return first ? `{${JSON.stringify(first[0])}:${JSON.stringify(first[1])},${json.slice(1)}` : '{"a":1,"a":1}'
}

/** Inside a string, so that nothing else is wrong with it. */
function insertBadByte(json: string): Buffer {
  const cut = json.indexOf('":"') < 0 ? 1 : json.indexOf('":"') + 3
  return Buffer.concat([Buffer.from(json.slice(0, cut)), Buffer.of(0xff), Buffer.from(json.slice(cut))])
}

/** Each turns valid JSON into text that the parser must reject, whatever the schema says. */
const TEXT_BREAKS: readonly [string, (json: string) => string | Buffer][] = [
  ['cut off', json => json.slice(0, Math.max(1, json.length - 1))],
  ['cut in half', json => json.slice(0, Math.max(1, Math.floor(json.length / 2)))],
  ['trailing text', json => `${json}{}`],
  ['a key twice', json => repeatFirstKey(json)],
  ['a key with a NUL', json => json.replace(/\{/, '{"\\u0000":1,').replace(',}', '}')],
  ['nesting of 65', json => json.replace(/\{/, `{"deep":${nestObjects(65)},`).replace(',}', '}')],
  ['nesting of 20,000', json => json.replace(/\{/, `{"deep":${nestObjects(20_000)},`).replace(',}', '}')],
  ['a number out of range', json => json.replace(/\{/, '{"huge":1e999,').replace(',}', '}')],
  ['__proto__', json => json.replace(/\{/, '{"__proto__":{"a":1},').replace(',}', '}')],
  ['a byte order mark', json => `\ufeff${json}`],
  ['bytes that are not UTF-8', json => insertBadByte(json)],
  ['another encoding', json => Buffer.from(json, 'utf16le')],
  ['a comment', json => `/* why */ ${json}`],
  ['NaN', () => 'NaN'],
  ['only a brace', () => '{'],
  ['only spaces', () => '   '],
  ['more than a mebibyte', () => JSON.stringify({ description: 'x'.repeat(1_100_000) })],
]

const TEXT_BREAK: Break = {
  how: 'text that the parser rejects',
  weight: 6,
  applies: ({ operation, json }) => operation.body !== undefined && json !== undefined,
  of: ({ json }) =>
    fc.constantFrom(...TEXT_BREAKS).map(([what, change]) => ({
      how: `JSON: ${what}`,
      json: Buffer.from(change(json?.toString() ?? '{}')),
      is_certain: true,
    })),
}

export const JSON_BREAKS: readonly Break[] = [...VALUE_BREAKS, TEXT_BREAK]
