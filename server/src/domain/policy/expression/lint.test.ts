import { describe, expect, it } from 'vitest'
import { lint, type Use, type Warning } from './lint.ts'
import { parseExpression } from './parser.ts'

const lintText = (text: string, use: Use = 'exception'): Warning[] => {
  const parsed = parseExpression(text)
  if (!parsed.ok) throw new Error(parsed.problem.sentence)
  return lint(parsed.expression, use)
}

describe('in a condition', () => {
  const formatConditionWarning = (name: string): string =>
    `If ${name} is not set, the rule applies; write 'not exists(${name}) or ...' to make that explicit, or 'exists(${name}) and ...' if it should not apply there`
  it.each([
    [`flow.tags.a == 'x'`, 0],
    [`flow.tags.a != 'x'`, 0],
    [`flow.tags.a in ['x']`, 0],
    [`not (flow.tags.a == 'x')`, 5],
    [`matches(flow.tags.a, '^x')`, 8],
  ])('%s is unknown for a flow without the tag', (text, offset) => {
    expect(lintText(text, 'condition')).toEqual([{ offset, sentence: formatConditionWarning('flow.tags.a') }])
  })

  it.each([
    `exists(flow.tags.a) and flow.tags.a == 'x'`,
    `not exists(flow.tags.a) or flow.tags.a != 'x'`,
    `flow.name != 'x'`,
    `exists(flow.tags.a)`,
  ])('%s is clear', text => expect(lintText(text, 'condition')).toEqual([]))
})

describe('there is no warning in an exception about', () => {
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
  ])('%s', text => expect(lintText(text)).toEqual([]))
})

describe('a warning, with the offset', () => {
  const formatExceptionWarning = (name: string): string =>
    `If ${name} is not set, this excepts nothing; write 'exists(${name}) and ...' to make that explicit, or 'not exists(${name}) or ...' if it should except that as well`
  it.each([
    [`flow.tags.a != 'x'`, 0, formatExceptionWarning('flow.tags.a')],
    [`'x' != flow.tags.a`, 7, formatExceptionWarning('flow.tags.a')],
    [`flow.name == 'y' and flow.tags.a not in ['x']`, 21, formatExceptionWarning('flow.tags.a')],
    [`exists(flow.tags.b) and flow.tags.a != 'x'`, 24, formatExceptionWarning('flow.tags.a')],
    [`exists(flow.tags.a) or flow.tags.a != 'x'`, 23, formatExceptionWarning('flow.tags.a')],
    [`(exists(flow.tags.a) and true) or flow.tags.a != 'x'`, 34, formatExceptionWarning('flow.tags.a')],
    [`not (flow.tags.a == 'x')`, 5, formatExceptionWarning('flow.tags.a')],
    [`not matches(flow.tags.a, '^x')`, 12, formatExceptionWarning('flow.tags.a')],
    [`flow.name != 'x'`, 0, formatExceptionWarning('flow.name')],
    [`flow.tags.a == true`, 0, "A name is text and never equals true; compare it with 'true'"],
    [`flow.tags.a < '10'`, 0, 'Two texts are compared letter by letter; write 10 without quotes'],
    [
      `matches(artifact.name, 'x')`,
      0,
      "The pattern matches anywhere in the text; start it with '^' to anchor it",
    ],
  ])('%s', (text, offset, sentence) => expect(lintText(text)).toEqual([{ offset, sentence }]))
})
