// Parses an expression into a syntax tree, or reports the first mistake with its offset. `not` binds tighter than
// `and`, `and` tighter than `or`; comparisons cannot be chained.

import { formatInput } from '../../yaml/problems.ts'
import {
  type Comparison,
  type Expression,
  formatReference,
  isCondition,
  type List,
  type Literal,
  REFERENCES,
  type Reference,
  TAG_PREFIX,
  type Tag,
} from './expression.ts'
import { type Token, tokenize } from './lexer.ts'
import { compileRegex } from './regex.ts'

const MAX_EXPRESSION_CHARACTERS = 4_096
const MAX_NESTING = 64

export interface ExpressionProblem {
  offset: number
  sentence: string
}

// `regex_size` is the combined cost of its regular expressions, so that callers can limit the sum over many
// expressions.
export type ParsedExpression =
  | { ok: true; expression: Expression; regex_size: number }
  | { ok: false; problem: ExpressionProblem }

interface Parser {
  tokens: Token[]
  at: number
  nesting: number
  regex_size: number
  problem: ExpressionProblem | undefined
}

type Parsed<T extends Expression = Expression> = T | undefined

const COMPARISONS: readonly string[] = ['==', '!=', '<', '>', '<=', '>=']
const KEYWORDS: readonly string[] = ['and', 'or', 'not', 'in']
const NULLS: readonly string[] = ['null', 'none', 'nil', 'undefined']

export function parseExpression(text: string): ParsedExpression {
  if (text.length > MAX_EXPRESSION_CHARACTERS) {
    const sentence = `Expression should have at most ${MAX_EXPRESSION_CHARACTERS} characters`
    return { ok: false, problem: { offset: 0, sentence } }
  }
  const parser: Parser = { tokens: tokenize(text), at: 0, nesting: 0, regex_size: 0, problem: undefined }
  const expression = parseWhole(parser)
  return expression
    ? { ok: true, expression, regex_size: parser.regex_size }
    : { ok: false, problem: parser.problem ?? { offset: 0, sentence: 'Expression is not valid' } }
}

function parseWhole(parser: Parser): Parsed {
  const expression = parseOr(parser)
  if (!expression) return undefined
  const next = peek(parser)
  if (next.kind === 'symbol' && COMPARISONS.includes(next.text)) {
    return failAt(parser, next.offset, "Comparisons cannot be chained, join them with 'and'")
  }
  if (next.kind !== 'end') return failExpected(parser, "'and', 'or' or the end of the expression")
  return requireCondition(parser, expression)
}

function parseOr(parser: Parser): Parsed {
  return parseJoined(parser, 'or', parseAnd)
}

function parseAnd(parser: Parser): Parsed {
  return parseJoined(parser, 'and', parseNot)
}

function parseJoined(parser: Parser, word: 'and' | 'or', parseOperand: (parser: Parser) => Parsed): Parsed {
  const first = parseOperand(parser)
  if (!first || !isNext(parser, 'word', word)) return first
  if (!requireCondition(parser, first)) return undefined
  const operands = [first]
  while (take(parser, 'word', word)) {
    const operand = parseOperand(parser)
    if (!operand || !requireCondition(parser, operand)) return undefined
    operands.push(operand)
  }
  return { kind: word, operands, offset: first.offset }
}

function parseNot(parser: Parser): Parsed {
  const { offset } = peek(parser)
  if (!take(parser, 'word', 'not')) return parseComparison(parser)
  const operand = parseNested(parser, offset, () => parseNot(parser))
  if (!operand || !requireCondition(parser, operand)) return undefined
  return { kind: 'not', operand, offset }
}

function parseComparison(parser: Parser): Parsed {
  const left = parsePrimary(parser)
  if (!left) return undefined
  const { kind, text } = peek(parser)
  if (kind === 'symbol' && COMPARISONS.includes(text)) {
    parser.at += 1
    const right = parsePrimary(parser)
    if (!right || !requireValue(parser, left) || !requireValue(parser, right)) return undefined
    return { kind: 'compare', operator: text as Comparison, left, right, offset: left.offset }
  }
  const negated = take(parser, 'word', 'not')
  if (take(parser, 'word', 'in')) return parseMembership(parser, left, negated)
  return negated ? failExpected(parser, "'in' after 'not'") : left
}

function parseMembership(parser: Parser, left: Expression, negated: boolean): Parsed {
  const list = parsePrimary(parser)
  if (!list || !requireValue(parser, left)) return undefined
  if (left.kind === 'list') return failAt(parser, left.offset, "A list is not allowed before 'in'")
  if (list.kind !== 'list')
    return failAt(parser, list.offset, "Expected a list such as ['a', 'b'] after 'in'")
  return { kind: 'membership', negated, left, list, offset: left.offset }
}

function parsePrimary(parser: Parser): Parsed {
  const token = peek(parser)
  const { kind, text, offset } = token
  if (kind === 'word') return parseWord(parser, token)
  if (kind === 'string' || kind === 'number') {
    parser.at += 1
    // Adding zero turns -0 into 0.
    return { kind: 'literal', value: kind === 'string' ? text : Number(text) + 0, offset }
  }
  if (take(parser, 'symbol', '[')) return parseNested(parser, offset, () => parseList(parser, offset))
  if (!take(parser, 'symbol', '(')) return failExpected(parser, 'a value or a condition')
  const inner = parseNested(parser, offset, () => parseOr(parser))
  if (!inner) return undefined
  return take(parser, 'symbol', ')') ? inner : failExpected(parser, "')'")
}

function parseList(parser: Parser, offset: number): Parsed<List> {
  const items: List['items'] = []
  if (take(parser, 'symbol', ']')) return { kind: 'list', items, offset }
  do {
    const item = parsePrimary(parser)
    if (!item || !requireValue(parser, item)) return undefined
    if (item.kind !== 'literal' && item.kind !== 'reference' && item.kind !== 'tag') {
      return failAt(parser, item.offset, 'A list should contain only text, numbers, true, false or names')
    }
    items.push(item)
  } while (take(parser, 'symbol', ','))
  return take(parser, 'symbol', ']') ? { kind: 'list', items, offset } : failExpected(parser, "',' or ']'")
}

function parseWord(parser: Parser, { text, offset }: Token): Parsed {
  if (KEYWORDS.includes(text)) return failExpected(parser, 'a value or a condition')
  parser.at += 1
  if (take(parser, 'symbol', '(')) return parseNested(parser, offset, () => parseCall(parser, text, offset))
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', offset }
  if (text.startsWith(TAG_PREFIX)) {
    const key = text.slice(TAG_PREFIX.length)
    return key === ''
      ? failAt(parser, offset + TAG_PREFIX.length, `Expected the key of a tag after '${TAG_PREFIX}'`)
      : { kind: 'tag', key, offset }
  }
  const name = REFERENCES.find(reference => reference === text)
  return name ? { kind: 'reference', name, offset } : failAt(parser, offset, describeUnknownWord(text))
}

function describeUnknownWord(text: string): string {
  const lower = text.toLowerCase()
  if (NULLS.includes(lower)) {
    return `There is no '${text}' here; use exists(...) to test for a value`
  }
  if (lower === 'true' || lower === 'false' || KEYWORDS.includes(lower))
    return `Write '${lower}' in lower case`
  if (text === 'exists' || text === 'matches') return `Expected '(' after '${text}'`
  const names = [...REFERENCES, `${TAG_PREFIX}<key>`].join(', ')
  return `Name '${formatInput(text)}' is unknown; the known names are ${names}; put text in quotes`
}

function parseCall(parser: Parser, name: string, offset: number): Parsed {
  if (name === 'exists') return parseExists(parser, offset)
  if (name === 'matches') return parseMatches(parser, offset)
  const sentence = `Function '${formatInput(name)}' is unknown; the functions are exists and matches`
  return failAt(parser, offset, sentence)
}

// Only a name can be absent. A comparison would always exist, even if a value in it does not.
function parseExists(parser: Parser, offset: number): Parsed {
  const argument = parsePrimary(parser)
  if (!argument) return undefined
  if (argument.kind !== 'reference' && argument.kind !== 'tag') {
    return failAt(parser, argument.offset, `Expected a name such as ${TAG_PREFIX}<key> in exists(...)`)
  }
  return take(parser, 'symbol', ')') ? { kind: 'exists', argument, offset } : failExpected(parser, "')'")
}

function parseMatches(parser: Parser, offset: number): Parsed {
  const input = parsePrimary(parser)
  if (!input || !requireValue(parser, input)) return undefined
  if (!isText(input))
    return failAt(parser, input.offset, 'Expected text or the name of a text in matches(...)')
  if (!take(parser, 'symbol', ',')) return failExpected(parser, "',' and a regular expression")
  const token = peek(parser)
  if (token.kind !== 'string') return failExpected(parser, 'a regular expression in quotes')
  parser.at += 1
  const compiled = compileRegex(token.text)
  if (!compiled.ok) return failAt(parser, token.offset, compiled.sentence)
  parser.regex_size += compiled.size
  if (!take(parser, 'symbol', ')')) return failExpected(parser, "')'")
  return { kind: 'matches', input, pattern: token.text, regex: compiled.regex, offset }
}

function isText(expression: Expression): expression is Literal | Reference | Tag {
  if (expression.kind === 'literal') return typeof expression.value === 'string'
  return expression.kind === 'reference' || expression.kind === 'tag'
}

function requireCondition(parser: Parser, expression: Expression): Parsed {
  if (isCondition(expression)) return expression
  return failAt(
    parser,
    expression.offset,
    `Expected a condition that is true or false, but ${describeExpression(expression)}`,
  )
}

function describeExpression(expression: Expression): string {
  if (expression.kind === 'reference' || expression.kind === 'tag') {
    const text = formatInput(formatReference(expression))
    return `${text} is not a condition; compare it, or use exists(${text})`
  }
  if (expression.kind === 'list') return 'this is a list'
  return expression.kind === 'literal' && typeof expression.value === 'number'
    ? 'this is a number'
    : 'this is text'
}

// A flow only has parts; on its own it can only be tested for existence.
function requireValue(parser: Parser, expression: Expression): Parsed {
  if (expression.kind !== 'reference' || expression.name !== 'flow') return expression
  return failAt(parser, expression.offset, "'flow' has no value of its own, use flow.name or exists(flow)")
}

function parseNested<T extends Expression>(
  parser: Parser,
  offset: number,
  parse: () => Parsed<T>,
): Parsed<T> {
  if (parser.nesting === MAX_NESTING) {
    return failAt(parser, offset, `Expression should be nested at most ${MAX_NESTING} deep`)
  }
  parser.nesting += 1
  const expression = parse()
  parser.nesting -= 1
  return expression
}

// The last token is never consumed: it is the end or a problem.
function peek(parser: Parser): Token {
  return parser.tokens[parser.at] ?? { kind: 'end', text: '', offset: 0 }
}

function isNext(parser: Parser, kind: Token['kind'], text: string): boolean {
  const token = peek(parser)
  return token.kind === kind && token.text === text
}

function take(parser: Parser, kind: Token['kind'], text: string): boolean {
  const isThere = isNext(parser, kind, text)
  if (isThere) parser.at += 1
  return isThere
}

function failExpected(parser: Parser, expected: string): undefined {
  const { kind, text, offset } = peek(parser)
  if (kind === 'problem') return failAt(parser, offset, text)
  const found = kind === 'end' ? 'the end of the expression' : `'${formatInput(text)}'`
  return failAt(parser, offset, `Expected ${expected} but found ${found}`)
}

function failAt(parser: Parser, offset: number, sentence: string): undefined {
  parser.problem = { offset, sentence }
  return undefined
}
