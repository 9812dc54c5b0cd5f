// Filters as RFC 7644 §3.4.2.2 writes them, read into a tree. An attribute that does not exist is refused: an empty answer
// would be taken for "nobody has this name", and people would be made twice.
import { type Attribute, attributesBelow, attributesOnPath, type ResourceType } from './attributes.ts'
import { invalidFilter } from './problems.ts'

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type Operand = string | number | boolean | null

export type Filter =
  | { is: 'and' | 'or'; parts: readonly Filter[] }
  | { is: 'not'; part: Filter }
  | { is: 'present'; path: readonly Attribute[] }
  | { is: 'comparison'; path: readonly Attribute[]; operator: Comparison; operand: Operand }
  /** One value of the list fulfils all of it: `emails[type eq "work" and primary eq true]`. */
  | { is: 'within'; path: readonly Attribute[]; part: Filter }

/** The place that a PATCH names: attributes to go through, with the values to take where it is a list. */
export interface Place {
  path: readonly Attribute[]
  /** Of the values of `path[0]`. */
  filter: Filter | undefined
}

const DEEPEST = 32
const OPERATORS: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/
/** A bracket, a text in quotes or a word; no two of its parts take the same character, so that it never goes back. */
const TOKEN = /\s*(?:([()[\]])|"((?:[^"\\]|\\.)*)"|([^\s()[\]"]+))/sy
const ESCAPED = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

interface Token {
  kind: 'bracket' | 'text' | 'word'
  text: string
}

type Resolve = (path: string) => Attribute[] | undefined

export function parseFilter(type: ResourceType, text: string): Filter {
  const reader = readerOf(text)
  const filter = either(reader, path => attributesOnPath(type, path), 0)
  if (reader.peek()) throw invalidFilter(`'${reader.peek()?.text}' was not expected in the filter`)
  return filter
}

/** A path of a PATCH: like a filter's, with at most one pair of brackets. Undefined when it leads nowhere. */
export function parsePlace(type: ResourceType, text: string): Place | undefined {
  const reader = readerOf(text)
  const head = reader.next()
  const path = head?.kind === 'word' ? attributesOnPath(type, head.text) : undefined
  if (!path) return undefined
  if (!reader.peek()) return { path, filter: undefined }
  const [attribute] = path
  if (!attribute?.is_list || path.length !== 1) return undefined
  const filter = bracketed(reader, attribute, 0)
  const rest = reader.next()
  if (!rest) return { path, filter }
  const below = rest.text.startsWith('.') ? attributesBelow(attribute, rest.text.slice(1)) : undefined
  return below && !reader.peek() ? { path: [attribute, ...below], filter } : undefined
}

interface Reader {
  peek(): Token | undefined
  next(): Token | undefined
  takeWord(word: string): boolean
}

function readerOf(text: string): Reader {
  const tokens = tokensOf(text)
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

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match) throw invalidFilter(`The filter cannot be read from its character ${at + 1} on`)
    const [, bracket, quoted, word] = match
    if (bracket !== undefined) tokens.push({ kind: 'bracket', text: bracket })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: unescaped(quoted) })
    else tokens.push({ kind: 'word', text: word ?? '' })
  }
  return tokens
}

function unescaped(text: string): string {
  return text.replaceAll(ESCAPED, (_, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function either(reader: Reader, resolve: Resolve, depth: number): Filter {
  const parts = [all(reader, resolve, depth)]
  while (reader.takeWord('or')) parts.push(all(reader, resolve, depth))
  return joined('or', parts)
}

function all(reader: Reader, resolve: Resolve, depth: number): Filter {
  const parts = [single(reader, resolve, depth)]
  while (reader.takeWord('and')) parts.push(single(reader, resolve, depth))
  return joined('and', parts)
}

function joined(is: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts
  return only && parts.length === 1 ? only : { is, parts }
}

function single(reader: Reader, resolve: Resolve, depth: number): Filter {
  if (depth > DEEPEST) throw invalidFilter(`The filter is nested deeper than ${DEEPEST}`)
  if (reader.takeWord('not')) return { is: 'not', part: single(reader, resolve, depth + 1) }
  const token = reader.next()
  if (token?.kind === 'bracket' && token.text === '(') {
    const inner = either(reader, resolve, depth + 1)
    expectBracket(reader, ')')
    return inner
  }
  if (token?.kind !== 'word') throw invalidFilter('The filter lacks the name of an attribute')
  const path = resolve(token.text)
  const last = path?.at(-1)
  if (!path || !last) throw invalidFilter(`There is no attribute '${token.text}'`)
  if (reader.peek()?.text !== '[' || reader.peek()?.kind !== 'bracket') return compared(reader, path)
  const part = bracketed(reader, last, depth + 1)
  return { is: 'within', path, part: withRest(reader, last, part) }
}

function bracketed(reader: Reader, attribute: Attribute, depth: number): Filter {
  expectBracket(reader, '[')
  const part = either(reader, path => attributesBelow(attribute, path), depth)
  expectBracket(reader, ']')
  return part
}

function expectBracket(reader: Reader, bracket: string): void {
  const token = reader.next()
  if (token?.kind !== 'bracket' || token.text !== bracket)
    throw invalidFilter(`The filter lacks a '${bracket}'`)
}

/** Not in the RFC, but sent by Entra: `emails[type eq "work"].value eq "a@b"`, and the same without `.value`. */
function withRest(reader: Reader, attribute: Attribute, part: Filter): Filter {
  const token = reader.peek()
  if (token?.kind !== 'word' || ['and', 'or'].includes(token.text.toLowerCase())) return part
  const name = token.text.startsWith('.') ? (reader.next()?.text.slice(1) ?? '') : 'value'
  const path = attributesBelow(attribute, name)
  if (!path) throw invalidFilter(`${attribute.name} has no attribute '${name}'`)
  return { is: 'and', parts: [part, compared(reader, path)] }
}

function compared(reader: Reader, path: readonly Attribute[]): Filter {
  const operator = reader.next()
  const word = operator?.kind === 'word' ? operator.text.toLowerCase() : ''
  if (word === 'pr') return { is: 'present', path }
  if (!OPERATORS.has(word)) throw invalidFilter(`'${operator?.text ?? ''}' is not an operator`)
  const simple = simplified(path)
  const operand = operandFor(simple.at(-1), reader.next())
  return { is: 'comparison', path: simple, operator: word as Comparison, operand }
}

/** `emails co "x"` means the values of the addresses. */
function simplified(path: readonly Attribute[]): readonly Attribute[] {
  const last = path.at(-1)
  if (last?.type !== 'complex') return path
  const value = last.inner.get('value')
  if (!value) throw invalidFilter(`${last.name} has no value to compare with`)
  return [...path, value]
}

function operandFor(attribute: Attribute | undefined, token: Token | undefined): Operand {
  if (!token || token.kind === 'bracket') throw invalidFilter('The filter lacks a value to compare with')
  const operand = token.kind === 'text' ? token.text : literal(token.text)
  if (token.text.includes('\0')) throw invalidFilter('The filter holds a NUL character')
  if (operand === null) return null
  if (attribute?.type === 'boolean') return truth(operand)
  const fits = ['integer', 'decimal'].includes(attribute?.type ?? '') ? 'number' : 'string'
  const type = typeof operand
  if (type !== fits) throw invalidFilter(`${attribute?.name} is compared with a ${fits}, not with a ${type}`)
  if (attribute?.type === 'dateTime' && Number.isNaN(new Date(String(operand)).getTime())) {
    throw invalidFilter(`'${operand}' is not a time`)
  }
  return operand
}

function literal(word: string): Operand {
  if (word === 'null') return null
  if (/^(true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  if (NUMBER.test(word)) return Number(word)
  throw invalidFilter(`'${word}' is not a value; a text is written in double quotes`)
}

/** Entra also sends it as a text. */
function truth(operand: string | number | boolean): boolean {
  const said = String(operand).toLowerCase()
  if (said !== 'true' && said !== 'false') throw invalidFilter(`'${said}' is neither true nor false`)
  return said === 'true'
}
