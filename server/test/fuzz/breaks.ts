// Ways to break a request in the fuzz test: one piece of a draft becomes wrong, odd or huge. The break itself, or the
// document's own schemas, say whether the service must reject it.
import fc from 'fast-check'
import type { Break } from './break.ts'
import { FORM_BREAKS } from './broken-forms.ts'
import { JSON_BREAKS } from './broken-json.ts'
import type { FuzzDocument } from './document.ts'
import type { Draft } from './requests.ts'

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']
const UNKNOWN_KEY = 'wb_user_000000000000_00000000000000000000000000000000000000000000000000000'

const ODD_SEGMENTS = [
  '',
  ...'% %zz %00 a%00b %2F a%2Fb %2e%2e %C0%80 %ED%A0%80 %FF %F0%9F%98%80 %E2%80%AE %EF%BB%BF %0d%0aX:y'.split(
    ' ',
  ),
  ...`.. . ... %20 + %25 %2525 ;a=b a;b %5c ' %22 * $(id) ~ - 0 -1 1e3 null undefined __proto__ constructor`.split(
    ' ',
  ),
  ...'toString try archive csv 9007199254740993 99999999999999999999 ~99999999999 %23-99999999999999999999'.split(
    ' ',
  ),
  ...'@%7B0001-01-01T00:00:00%7D @%7B99999999999999.months.ago%7D @%7B%7D'.split(' '),
  ...[256, 2_049, 9_000].map(length => 'a'.repeat(length)),
]
const ODD_TEXTS = [
  '',
  ...'0 -1 1.5 1e3 1e400 -1e308 NaN Infinity 0x10 %201 true TRUE yes null [] {} 99999999999999999999'.split(
    ' ',
  ),
  ...'253402300800 2147483648 %00 %zz % %C0%80 %ED%A0%80 %F0%9F%98%80 %28 %5B (a+)+$ .. 1..2..3 ~ %23'.split(
    ' ',
  ),
  ...`' %25 _ %5C * key: :value = , ,, no%20provenance 0001-01-01 -99999 2026-13-45 %2B010000-01-01 P1D`.split(
    ' ',
  ),
  ...'@{ @{99999999.months.ago} @{0001-01-01T00:00:00} prod~99999999999999 prod@{1.months.ago}'.split(' '),
  ...'one%2399999999999 2026-03-03T12:00:00%2B25:00 eyJhIjoxfQ bnVsbA MQ'.split(' '),
  ...'019cb391-c200-7277-a7b0-79e37dfe 00000000-0000-0000-0000-00000000'.split(' '),
  'a'.repeat(600),
]
const LONG_QUERY = 'a'.repeat(9_000)

const listParameterNames = ({ operation }: Draft) => operation.query_parameters.map(({ name }) => name)

const ADDRESS_BREAKS: Break[] = [
  {
    how: 'an odd segment of the path',
    weight: 4,
    applies: ({ params }) => Object.keys(params).length > 0,
    of: ({ params }) =>
      fc
        .tuple(fc.constantFrom(...Object.keys(params)), fc.constantFrom(...ODD_SEGMENTS))
        .map(([name, text]) => ({ params: { ...params, [name]: text }, is_certain: /%00/.test(text) })),
  },
  {
    how: 'an unknown query parameter',
    weight: 1,
    applies: () => true,
    of: ({ query }) =>
      fc
        .constantFrom('no_such_parameter', '__proto__', 'constructor', 'page[]', '%00', '%zz', '', 'PAGE')
        .map(name => ({ query: [...query, [name, '1']], is_certain: name !== '' })),
  },
  {
    how: 'a query parameter twice',
    weight: 2,
    applies: draft => listParameterNames(draft).length > 0,
    of: ({ operation, query }) =>
      fc.constantFrom(...operation.query_parameters).map(({ name, schema }) => ({
        query: [...query, [name, '1'], [name, '1']],
        is_certain: schema.type !== 'array',
      })),
  },
  {
    how: 'an odd value in the query',
    weight: 9,
    applies: draft => listParameterNames(draft).length > 0,
    of: ({ operation, query }, document) =>
      fc
        .tuple(fc.constantFrom(...operation.query_parameters), fc.constantFrom(...ODD_TEXTS))
        .map(([{ name, schema }, text]) => ({
          query: [...query.filter(([other]) => other !== name), [name, text]],
          is_certain: !text.includes('%') && document.isTextInvalid(schema, text),
        })),
  },
  {
    how: 'an address that is too long',
    weight: 1,
    applies: () => true,
    of: ({ query }) => fc.constant({ query: [...query, ['name', LONG_QUERY]], is_certain: true }),
  },
  {
    how: 'another method',
    weight: 1,
    applies: () => true,
    of: ({ method }) =>
      fc
        .constantFrom(...METHODS.filter(other => other !== method), 'OPTIONS')
        .map(other => ({ method: other })),
  },
]

const CREDENTIALS = [
  ...[
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    `Bearer ${UNKNOWN_KEY}`,
    `Bearer ${'k'.repeat(5_000)}`,
    'Token abc',
  ],
  ...['Basic', 'Basic !!!', 'Basic Og==', `Basic ${Buffer.from(`${UNKNOWN_KEY}:`).toString('base64')}`],
  ...['Bearer a b', 'Negotiate x', 'Bearer eyJhbGciOiJub25lIn0.e30.', `bearer ${UNKNOWN_KEY}`],
]

const HEADER_BREAKS: Break[] = [
  {
    how: 'no credentials, or wrong ones',
    weight: 1,
    applies: () => true,
    of: ({ headers, operation }) =>
      fc.constantFrom(...CREDENTIALS).map(authorization => ({
        caller: 'anonymous' as const,
        headers: { ...headers, ...(authorization === '' ? {} : { authorization }) },
        is_certain: operation.access !== 'public',
      })),
  },
  {
    how: 'a cookie that is not a session',
    weight: 1,
    applies: () => true,
    of: ({ headers, operation }) =>
      fc
        .constantFrom('waybill_session=x', '__Host-waybill_session=wb_ses_x', '=', ';;;', 'a=b; a=c')
        .map(cookie => ({
          caller: 'anonymous' as const,
          headers: { ...headers, cookie },
          is_certain: operation.access !== 'public',
        })),
  },
  {
    how: 'an odd Idempotency-Key',
    weight: 1,
    applies: ({ method }) => method === 'POST',
    of: ({ headers }) =>
      fc
        .constantFrom('', ' ', 'k'.repeat(256), 'a b', 'a\tb')
        .map(key => ({ headers: { ...headers, 'idempotency-key': key }, is_certain: true })),
  },
  {
    how: 'another content type',
    weight: 2,
    applies: ({ json }) => json !== undefined,
    of: ({ json }) =>
      fc
        .constantFrom(
          'text/plain',
          'application/xml',
          'application/x-www-form-urlencoded',
          'application/jsonx',
          'nonsense',
          '*/*',
        )
        .map(content_type => ({ raw: { content_type, bytes: json ?? Buffer.of() }, is_certain: true })),
  },
  {
    how: 'no content type',
    weight: 1,
    applies: ({ json }) => json !== undefined,
    of: ({ json }) =>
      fc.constant({ raw: { content_type: undefined, bytes: json ?? Buffer.of() }, is_certain: true }),
  },
  {
    how: 'a body where none is expected',
    weight: 2,
    applies: ({ operation }) => operation.body === undefined && operation.method !== 'GET',
    of: () =>
      fc
        .constantFrom('{"a":1}', '[]', '1', '"text"', '{')
        .map(text => ({ json: Buffer.from(text), is_certain: true })),
  },
  {
    how: 'no body at all',
    weight: 1,
    applies: ({ operation }) => operation.body !== undefined,
    of: () => fc.constant({ json: undefined, parts: undefined, is_certain: true }),
  },
]

const BREAKS: readonly Break[] = [...ADDRESS_BREAKS, ...HEADER_BREAKS, ...FORM_BREAKS, ...JSON_BREAKS]

/** The draft, broken in one of the ways that apply to it. */
export function breakDraft(draft: Draft, document: FuzzDocument): fc.Arbitrary<Draft> {
  const possible = BREAKS.filter(way => way.applies(draft))
  return fc.oneof(...possible.map(way => ({ weight: way.weight, arbitrary: fc.constant(way) }))).chain(way =>
    way.of(draft, document).map(({ how = way.how, is_certain = false, ...changes }) => ({
      ...draft,
      ...changes,
      broken: { how, is_certain },
    })),
  )
}
