// Splits the text of an expression into tokens with offsets. Invalid text becomes a token that describes the problem,
// so that the parser always reports the first mistake in the text.

import { formatInput } from '../../yaml/problems.ts'

export interface Token {
  kind: 'string' | 'number' | 'word' | 'symbol' | 'end' | 'problem'
  // The value of a string without its quotes, or the sentence of a problem.
  text: string
  offset: number
}

interface Lexeme {
  kind: Token['kind']
  text: string
  end: number
}

const SPACE = /[ \t\r\n]*/y
// Allows the characters of a tag key, so that `flow.tags.my-key.v2` is one word.
const WORD = /[A-Za-z_][A-Za-z0-9_.~-]*/y
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?/y
const AFTER_NUMBER = /[A-Za-z0-9_.~-]/
const SYMBOL = /==|!=|<=|>=|[<>()[\],]/y
const FOREIGN = /&&|\|\||[=!&|]/y
const INSTEAD: Record<string, string> = {
  '=': "'=='",
  '!': "'not'",
  '&': "'and'",
  '&&': "'and'",
  '|': "'or'",
  '||': "'or'",
}

// Ends with an `end` token, or with a `problem` token after which nothing is read.
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let offset = 0
  while (true) {
    offset += matchAt(SPACE, text, offset)?.length ?? 0
    const { kind, text: value, end } = readLexeme(text, offset)
    tokens.push({ kind, text: value, offset })
    if (kind === 'end' || kind === 'problem') return tokens
    offset = end
  }
}

function readLexeme(text: string, offset: number): Lexeme {
  const first = text[offset]
  if (first === undefined) return { kind: 'end', text: '', end: offset }
  if (first === "'" || first === '"') return readString(text, offset, first)
  const number = matchAt(NUMBER, text, offset)
  if (number !== undefined) return readNumber(text, offset, number)
  const word = matchAt(WORD, text, offset)
  if (word !== undefined) return { kind: 'word', text: word, end: offset + word.length }
  const symbol = matchAt(SYMBOL, text, offset)
  if (symbol !== undefined) return { kind: 'symbol', text: symbol, end: offset + symbol.length }
  const foreign = matchAt(FOREIGN, text, offset)
  if (foreign !== undefined) return buildProblem(`'${foreign}' is not an operator, use ${INSTEAD[foreign]}`)
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  return buildProblem(`Character '${formatInput(character)}' is not expected here`)
}

// A backslash before anything but a quote or a backslash is literal, so that regular expressions stay readable.
function readString(text: string, start: number, quote: string): Lexeme {
  let value = ''
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] ?? ''
    const next = text[at + 1]
    if (character === quote) return { kind: 'string', text: value, end: at + 1 }
    if (character === '\\' && (next === '"' || next === "'" || next === '\\')) {
      value += next
      at += 1
    } else {
      value += character
    }
  }
  return buildProblem(`String is not closed, a ${quote} was expected before the end`)
}

function readNumber(text: string, offset: number, number: string): Lexeme {
  const end = offset + number.length
  if (AFTER_NUMBER.test(text[end] ?? ''))
    return buildProblem('Number should have digits and one decimal point only')
  if (!Number.isFinite(Number(number))) return buildProblem('Number is too large')
  return { kind: 'number', text: number, end }
}

function buildProblem(sentence: string): Lexeme {
  return { kind: 'problem', text: sentence, end: 0 }
}

function matchAt(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0]
}
