// Parses filters as in RFC 7644 §3.4.2.2 into a tree. Unknown attributes are rejected: an empty result would be read
// as "no such user", and people would be created twice.
import { type Attribute, type ResourceType, resolvePath, resolvePathBelow } from './attributes.ts'
import { invalidFilter } from './problems.ts'

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type Operand = string | number | boolean | null

export type Filter =
  | { is: 'and' | 'or'; parts: readonly Filter[] }
  | { is: 'not'; part: Filter }
  | { is: 'present'; path: readonly Attribute[] }
  | { is: 'comparison'; path: readonly Attribute[]; operator: Comparison; operand: Operand }
  /** One value of the list must match the whole part: `emails[type eq "work" and primary eq true]`. */
  | { is: 'within'; path: readonly Attribute[]; part: Filter }

/** The target of a PATCH: the attributes on its path, and a filter for the values of a list. */
export interface Place {
  path: readonly Attribute[]
  /** Applies to the values of `path[0]`. */
  filter: Filter | undefined
}

const MAX_DEPTH = 32
const OPERATORS: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/
/** A bracket, a quoted text or a word; its alternatives start with different characters, so it never backtracks. */
const TOKEN = /\s*(?:([()[\]])|"((?:[^"\\]|\\.)*)"|([^\s()[\]"]+))/sy
const ESCAPED = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

interface Token {
  kind: 'bracket' | 'text' | 'word'
  text: string
}

type Resolve = (path: string) => Attribute[] | undefined

export function parseFilter(type: ResourceType, text: string): Filter {
  const reader = makeReader(text)
  const filter = parseOr(reader, path => resolvePath(type, path), 0)
  if (reader.peek()) throw invalidFilter(`Unexpected '${reader.peek()?.text}' in the filter`)
  return filter
}

/**
 * Parses the path of a PATCH: like a filter's path, with at most one pair of brackets. Undefined if it does
 * not exist.
 */
export function parsePlace(type: ResourceType, text: string): Place | undefined {
  const reader = makeReader(text)
  const head = reader.next()
  const path = head?.kind === 'word' ? resolvePath(type, head.text) : undefined
  if (!path) return undefined
  if (!reader.peek()) return { path, filter: undefined }
  const [attribute] = path
  if (!attribute?.is_list || path.length !== 1) return undefined
  const filter = parseBracketed(reader, attribute, 0)
  const rest = reader.next()
  if (!rest) return { path, filter }
  const below = rest.text.startsWith('.') ? resolvePathBelow(attribute, rest.text.slice(1)) : undefined
  return below && !reader.peek() ? { path: [attribute, ...below], filter } : undefined
}

interface Reader {
  peek(): Token | undefined
  next(): Token | undefined
  takeWord(word: string): boolean
}

function makeReader(text: string): Reader {
  const tokens = tokenize(text)
  let at = 0
  return {
    peek: () => tokens[at],
    next: () => tokens[at++],
    takeWord: word => {
      const token = tokens[at]
      if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false
      at++
      return true
    },
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match) throw invalidFilter(`The filter cannot be parsed from character ${at + 1} on`)
    const [, bracket, quoted, word] = match
    if (bracket !== undefined) tokens.push({ kind: 'bracket', text: bracket })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: unescapeText(quoted) })
    else tokens.push({ kind: 'word', text: word ?? '' })
  }
  return tokens
}

function unescapeText(text: string): string {
  return text.replaceAll(ESCAPED, (_, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function parseOr(reader: Reader, resolve: Resolve, depth: number): Filter {
  const parts = [parseAnd(reader, resolve, depth)]
  while (reader.takeWord('or')) parts.push(parseAnd(reader, resolve, depth))
  return joinParts('or', parts)
}

function parseAnd(reader: Reader, resolve: Resolve, depth: number): Filter {
  const parts = [parseTerm(reader, resolve, depth)]
  while (reader.takeWord('and')) parts.push(parseTerm(reader, resolve, depth))
  return joinParts('and', parts)
}

function joinParts(is: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts
  return only && parts.length === 1 ? only : { is, parts }
}

function parseTerm(reader: Reader, resolve: Resolve, depth: number): Filter {
  if (depth > MAX_DEPTH) throw invalidFilter(`The filter is nested deeper than ${MAX_DEPTH}`)
  if (reader.takeWord('not')) return { is: 'not', part: parseTerm(reader, resolve, depth + 1) }
  const token = reader.next()
  if (token?.kind === 'bracket' && token.text === '(') {
    const inner = parseOr(reader, resolve, depth + 1)
    expectBracket(reader, ')')
    return inner
  }
  if (token?.kind !== 'word') throw invalidFilter('The filter is missing the name of an attribute')
  const path = resolve(token.text)
  const last = path?.at(-1)
  if (!path || !last) throw invalidFilter(`There is no attribute '${token.text}'`)
  if (reader.peek()?.text !== '[' || reader.peek()?.kind !== 'bracket') return parseComparison(reader, path)
  const part = parseBracketed(reader, last, depth + 1)
  return { is: 'within', path, part: parseRest(reader, last, part) }
}

function parseBracketed(reader: Reader, attribute: Attribute, depth: number): Filter {
  expectBracket(reader, '[')
  const part = parseOr(reader, path => resolvePathBelow(attribute, path), depth)
  expectBracket(reader, ']')
  return part
}

function expectBracket(reader: Reader, bracket: string): void {
  const token = reader.next()
  if (token?.kind !== 'bracket' || token.text !== bracket)
    throw invalidFilter(`The filter is missing a '${bracket}'`)
}

/** Not in the RFC, but sent by Entra: `emails[type eq "work"].value eq "a@b"`, and the same without `.value`. */
function parseRest(reader: Reader, attribute: Attribute, part: Filter): Filter {
  const token = reader.peek()
  if (token?.kind !== 'word' || ['and', 'or'].includes(token.text.toLowerCase())) return part
  const name = token.text.startsWith('.') ? (reader.next()?.text.slice(1) ?? '') : 'value'
  const path = resolvePathBelow(attribute, name)
  if (!path) throw invalidFilter(`${attribute.name} has no attribute '${name}'`)
  return { is: 'and', parts: [part, parseComparison(reader, path)] }
}

function parseComparison(reader: Reader, path: readonly Attribute[]): Filter {
  const operator = reader.next()
  const word = operator?.kind === 'word' ? operator.text.toLowerCase() : ''
  if (word === 'pr') return { is: 'present', path }
  if (!OPERATORS.has(word)) throw invalidFilter(`'${operator?.text ?? ''}' is not an operator`)
  const simple = toSimplePath(path)
  const operand = parseOperand(simple.at(-1), reader.next())
  return { is: 'comparison', path: simple, operator: word as Comparison, operand }
}

/** `emails co "x"` means the values of the addresses. */
function toSimplePath(path: readonly Attribute[]): readonly Attribute[] {
  const last = path.at(-1)
  if (last?.type !== 'complex') return path
  const value = last.inner.get('value')
  if (!value) throw invalidFilter(`${last.name} has no value to compare with`)
  return [...path, value]
}

function parseOperand(attribute: Attribute | undefined, token: Token | undefined): Operand {
  if (!token || token.kind === 'bracket') throw invalidFilter('The filter is missing a value to compare with')
  const operand = token.kind === 'text' ? token.text : parseLiteral(token.text)
  if (token.text.includes('\0')) throw invalidFilter('The filter contains a NUL character')
  if (operand === null) return null
  if (attribute?.type === 'boolean') return parseBoolean(operand)
  const fits = ['integer', 'decimal'].includes(attribute?.type ?? '') ? 'number' : 'string'
  const type = typeof operand
  if (type !== fits)
    throw invalidFilter(`${attribute?.name} must be compared with a ${fits}, not with a ${type}`)
  if (attribute?.type === 'dateTime' && Number.isNaN(new Date(String(operand)).getTime())) {
    throw invalidFilter(`'${operand}' is not a time`)
  }
  return operand
}

function parseLiteral(word: string): Operand {
  if (word === 'null') return null
  if (/^(true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  if (NUMBER.test(word)) return Number(word)
  throw invalidFilter(`'${word}' is not a value; put text in double quotes`)
}

/** Entra also sends booleans as text. */
function parseBoolean(operand: string | number | boolean): boolean {
  const lower = String(operand).toLowerCase()
  if (lower !== 'true' && lower !== 'false') throw invalidFilter(`'${lower}' is neither true nor false`)
  return lower === 'true'
}
