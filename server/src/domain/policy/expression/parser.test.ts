import { describe, expect, it } from 'vitest'
import { hasFlowReference } from './expression.ts'
import { type ExpressionProblem, parseExpression } from './parser.ts'
import { stripOffsets } from './print.testing.ts'

const findProblem = (text: string): ExpressionProblem | undefined => {
  const parsed = parseExpression(text)
  return parsed.ok ? undefined : parsed.problem
}
const parseTree = (text: string): unknown => {
  const parsed = parseExpression(text)
  return parsed.ok ? stripOffsets(parsed.expression) : parsed.problem
}

describe('accepted', () => {
  it.each([
    `flow.name == 'a'`,
    `flow.name=="a"`,
    `flow.tags.a<3`,
    `flow.tags.my-key_1.v2~x != "prod"`,
    `flow.tags.in == 'x'`,
    `artifact.fingerprint in ['a', "b"]`,
    `artifact.name not in []`,
    `not artifact.name in ['a']`,
    `exists(flow) and exists ( flow.name )`,
    `matches(flow.name, "^v\\d+$")`,
    `matches('text', 't')`,
    `true`,
    `(false)`,
    `not not true`,
    `(flow.name == 'a') == true`,
    `[1, -2.50, true, flow.name] == [1]`,
    `flow.name\n  == 'a'\tor\r\nfalse`,
    `${'('.repeat(64)}true${')'.repeat(64)}`,
    `${'not '.repeat(64)}true`,
  ])('%s', text => expect(findProblem(text)).toBeUndefined())

  it('binds not tighter than and, and tighter than or', () => {
    expect(parseTree('not true and false or true and false')).toEqual(
      parseTree('((not true) and false) or (true and false)'),
    )
    expect(parseTree(`not flow.name == 'a'`)).toEqual(parseTree(`not (flow.name == 'a')`))
    expect(parseTree(`not flow.name in ['a']`)).toEqual(parseTree(`not (flow.name in ['a'])`))
    expect(parseTree('true or true and false')).not.toEqual(parseTree('(true or true) and false'))
  })

  it.each([
    [`'it''`, undefined],
    [`"a\\"b"`, 'a"b'],
    [`'a\\'b'`, "a'b"],
    [`'a"b'`, 'a"b'],
    ['"a\\\\d"', 'a\\d'],
    ['"a\\d"', 'a\\d'],
    ['"\\\\"', '\\'],
  ])('reads the string %s', (text, value) => {
    const tree = parseTree(`${text} == flow.name`)
    if (value === undefined) expect(tree).toMatchObject({ sentence: expect.stringContaining('not closed') })
    else expect(tree).toMatchObject({ left: { value } })
  })

  it.each([
    ['exists(flow)', true],
    [`artifact.name in ['a', flow.name]`, true],
    [`artifact.name == 'a' or not (true and flow.tags.x == 'b')`, true],
    [`matches(flow.tags.x, 'a')`, true],
    [`artifact.name == 'flow.name' and exists(artifact.fingerprint)`, false],
  ])('knows whether %s mentions the flow', (text, isMentioned) => {
    const parsed = parseExpression(text)
    expect(parsed.ok && hasFlowReference(parsed.expression)).toBe(isMentioned)
  })
})

describe('refused, with the offset', () => {
  const value = 'Expected a value or a condition but found'
  const more = "Expected 'and', 'or' or the end of the expression but found"
  it.each<[string, number, string | RegExp]>([
    ['', 0, `${value} the end of the expression`],
    ['flow.name ==', 12, `${value} the end of the expression`],
    ['flow.name == and true', 13, `${value} 'and'`],
    ['(true', 5, "Expected ')' but found the end of the expression"],
    ['true)', 4, `${more} ')'`],
    ['true true', 5, `${more} 'true'`],
    [`exists(flow) xor true`, 13, `${more} 'xor'`],
    [`flow.name = 'a'`, 10, "'=' is not an operator, use '=='"],
    ['true && true', 5, "'&&' is not an operator, use 'and'"],
    ['true || true', 5, "'||' is not an operator, use 'or'"],
    ['!true', 0, "'!' is not an operator, use 'not'"],
    [`flow.name == 'a`, 13, "String is not closed, a ' was expected before the end"],
    ['flow.name == @', 13, "Character '@' is not expected here"],
    ['flow.name == 😀', 13, "Character '😀' is not expected here"],
    ['flow.tags.a < 3x', 14, 'Number should have digits and one decimal point only'],
    ['flow.tags.a < 1.2.3', 14, 'Number should have digits and one decimal point only'],
    [`flow.tags.a < ${'9'.repeat(400)}`, 14, 'Number is too large'],
    ['flow.tags.a == null', 15, "There is no 'null' here; use exists(...) to test for a value"],
    ['flow.tags.a == None', 15, "There is no 'None' here; use exists(...) to test for a value"],
    ['exists(flow) == True', 16, "Write 'true' in lower case"],
    ['true AND true', 5, `${more} 'AND'`],
    ['NOT true', 0, "Write 'not' in lower case"],
    [`flow.nam == 'a'`, 0, /^Name 'flow.nam' is unknown; the known names are flow, .*; put text in quotes/],
    ['flow.name == prod', 13, /^Name 'prod' is unknown/],
    ['artifact', 0, /^Name 'artifact' is unknown/],
    ['flow.tags. == 3', 10, "Expected the key of a tag after 'flow.tags.'"],
    ['flow.tags', 0, /^Name 'flow.tags' is unknown/],
    ['exists', 0, "Expected '(' after 'exists'"],
    ['len(flow.name) == 3', 0, "Function 'len' is unknown; the functions are exists and matches"],
    ['exists()', 7, `${value} ')'`],
    ['exists(flow', 11, "Expected ')' but found the end of the expression"],
    [`exists('a')`, 7, 'Expected a name such as flow.tags.<key> in exists(...)'],
    [`exists(flow.tags.a == 'b')`, 19, "Expected ')' but found '=='"],
    [`exists((flow.tags.a == 'b'))`, 8, 'Expected a name such as flow.tags.<key> in exists(...)'],
    ['matches(flow.name)', 17, "Expected ',' and a regular expression but found ')'"],
    ['matches(flow.name, flow.name)', 19, "Expected a regular expression in quotes but found 'flow.name'"],
    ['matches(3, "a")', 8, 'Expected text or the name of a text in matches(...)'],
    ['matches(flow, "a")', 8, "'flow' has no value of its own, use flow.name or exists(flow)"],
    [
      'matches(flow.name, "a(?=b)")',
      19,
      'Look-ahead and look-behind are not supported in a regular expression',
    ],
    [
      'matches(flow.name, "(?<!b)a")',
      19,
      'Look-ahead and look-behind are not supported in a regular expression',
    ],
    ['matches(flow.name, "(a)\\1")', 19, 'Back references are not supported in a regular expression'],
    ['matches(flow.name, "a(")', 19, 'Regular expression is not valid: missing closing ): `a(`'],
    ['true and matches(flow.name, "(a{500}){5}")', 28, /^Regular expression is too large/],
    ['flow.tags.a < 3 < 4', 16, "Comparisons cannot be chained, join them with 'and'"],
    [`flow == 'a'`, 0, "'flow' has no value of its own, use flow.name or exists(flow)"],
    [`'a' in flow.name`, 7, "Expected a list such as ['a', 'b'] after 'in'"],
    [`flow.name not 'a'`, 14, "Expected 'in' after 'not' but found 'a'"],
    [`['a'] in ['a']`, 0, "A list is not allowed before 'in'"],
    [`flow.name in ['a' 'b']`, 18, "Expected ',' or ']' but found 'b'"],
    [`flow.name in ['a', ]`, 19, `${value} ']'`],
    [`flow.name in [['a']]`, 14, 'A list should contain only text, numbers, true, false or names'],
    [`flow.name in [flow]`, 14, "'flow' has no value of its own, use flow.name or exists(flow)"],
    [`'text'`, 0, 'Expected a condition that is true or false, but this is text'],
    ['3', 0, 'Expected a condition that is true or false, but this is a number'],
    [`true and ['a']`, 9, 'Expected a condition that is true or false, but this is a list'],
    [
      'true or not (flow.tags.a)',
      13,
      'Expected a condition that is true or false, but flow.tags.a is not a condition; compare it, or use exists(flow.tags.a)',
    ],
    [
      'flow and true',
      0,
      'Expected a condition that is true or false, but flow is not a condition; compare it, or use exists(flow)',
    ],
    [`${'('.repeat(65)}true${')'.repeat(65)}`, 64, 'Expression should be nested at most 64 deep'],
    [`${'not '.repeat(65)}true`, 256, 'Expression should be nested at most 64 deep'],
    [`true ${' '.repeat(4096)}`, 0, 'Expression should have at most 4096 characters'],
  ])('%s', (text, offset, sentence) => {
    const problem = findProblem(text)
    expect(problem?.sentence).toEqual(
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    )
    expect(problem?.offset).toBe(offset)
  })
})
