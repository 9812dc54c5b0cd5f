import { describe, expect, it } from 'vitest'
import { tokenize } from './lexer.ts'

const formatTokens = (text: string): string[] =>
  tokenize(text).map(token => `${token.offset} ${token.kind} ${token.text}`.trim())

describe('tokens', () => {
  it.each([
    ['', ['0 end']],
    [' \n\t', ['3 end']],
    ['flow.tags.a-b.c==1', ['0 word flow.tags.a-b.c', '15 symbol ==', '17 number 1', '18 end']],
    ['a<=-1.5', ['0 word a', '1 symbol <=', '3 number -1.5', '7 end']],
    ['["a",\'b\']', ['0 symbol [', '1 string a', '4 symbol ,', '5 string b', '8 symbol ]', '9 end']],
    ['not(x)', ['0 word not', '3 symbol (', '4 word x', '5 symbol )', '6 end']],
    [
      'a != "x" - 1',
      ['0 word a', '2 symbol !=', '5 string x', "9 problem Character '-' is not expected here"],
    ],
    ['ü', ["0 problem Character 'ü' is not expected here"]],
  ])('%j', (text, tokens) => expect(formatTokens(text)).toEqual(tokens))

  it('stops at the first problem', () => {
    expect(formatTokens('a ? ?')).toEqual(['0 word a', "2 problem Character '?' is not expected here"])
  })
})
