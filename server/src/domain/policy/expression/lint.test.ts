import { describe, expect, it } from 'vitest'
import { lint, type Warning } from './lint.ts'
import { parseExpression } from './parser.ts'

const warningsOf = (text: string): Warning[] => {
  const parsed = parseExpression(text)
  if (!parsed.ok) throw new Error(parsed.problem.sentence)
  return lint(parsed.expression)
}

describe('nothing is said about', () => {
  it.each([
    `flow.tags.a == 'x'`,
    `flow.tags.a in ['x']`,
    `exists(flow.tags.a) and flow.tags.a != 'x'`,
    `flow.tags.a != 'x' and exists(flow.tags.a)`,
    `exists(flow.tags.a) and (flow.name == 'y' or flow.tags.a not in ['x'])`,
    `not exists(flow.tags.a) or flow.tags.a != 'x'`,
    `exists(flow) and flow.name != 'x'`,
    `not not (flow.tags.a == 'x')`,
    `artifact.name != 'x'`,
    `flow.tags.a < 3`,
    `flow.tags.a < 'b'`,
    `matches(artifact.name, '^x')`,
    `matches(artifact.name, '(?i)^x')`,
  ])('%s', text => expect(warningsOf(text)).toEqual([]))
})

describe('a warning, with the offset', () => {
  const absent = (name: string): string =>
    `${name} may be absent; say what then holds with 'exists(${name}) and ...'`
  it.each([
    [`flow.tags.a != 'x'`, 0, absent('flow.tags.a')],
    [`'x' != flow.tags.a`, 7, absent('flow.tags.a')],
    [`flow.name == 'y' and flow.tags.a not in ['x']`, 21, absent('flow.tags.a')],
    [`exists(flow.tags.b) and flow.tags.a != 'x'`, 24, absent('flow.tags.a')],
    [`exists(flow.tags.a) or flow.tags.a != 'x'`, 23, absent('flow.tags.a')],
    [`(exists(flow.tags.a) and true) or flow.tags.a != 'x'`, 34, absent('flow.tags.a')],
    [`not (flow.tags.a == 'x')`, 5, absent('flow.tags.a')],
    [`not matches(flow.tags.a, '^x')`, 12, absent('flow.tags.a')],
    [`flow.name != 'x'`, 0, absent('flow.name')],
    [`flow.tags.a == true`, 0, "A name holds text and never equals true; compare it with 'true'"],
    [`flow.tags.a < '10'`, 0, 'Two texts are ordered letter by letter; write 10 without quotes'],
    [
      `matches(artifact.name, 'x')`,
      0,
      "The pattern is looked for anywhere in the text; start it with '^' to bind it",
    ],
  ])('%s', (text, offset, sentence) => expect(warningsOf(text)).toEqual([{ offset, sentence }]))
})
