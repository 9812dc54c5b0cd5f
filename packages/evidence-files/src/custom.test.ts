import { expect, it } from 'vitest'
import { expectProblem, openText } from './fixtures.testing.ts'
import { readCustom } from './index.ts'

it.each([
  ['{"lines": 91}', { lines: 91 }],
  ['[1, "a", null]', [1, 'a', null]],
  [' "text" ', 'text'],
  [`${' '.repeat(2_000_000)}1`, 1],
])('any JSON is data of a custom attestation (%#)', (text, attestation_data) => {
  expect(readCustom(openText('a.json', text))).toEqual({ attestation_data })
})

it.each([
  ['{', 'a.json, line 1, column 2: expected a name in double quotes'],
  ['', 'a.json, line 1, column 1: expected a value'],
  ['['.repeat(201), 'nested at most 200 levels'],
  [`"${'x'.repeat(1024 * 1024)}"`, 'a.json: expected at most 1048576 bytes of JSON, found 1048578.'],
])('data that the API would not take is refused (%#)', (text, sentence) => {
  expectProblem(() => readCustom(openText('a.json', text)), sentence)
})
