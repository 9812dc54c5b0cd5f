// Parses untrusted YAML into a syntax tree that is safe to walk: one document with limited size, nesting, tokens and
// aliases. The limits are checked on tokens before the tree is built, because building it is recursive.

import { CST, type Document, type ErrorCode, Lexer, LineCounter, parseDocument } from 'yaml'
import { type FileKind, formatInput, type Problem } from './problems.ts'

const MAX_CHARACTERS = 1024 * 1024
const MAX_NESTING = 32
const MAX_INDENT = 256
const MAX_ALIASES = 50
// Spaces, line breaks and comments cost little, but a mebibyte of them still takes seconds.
const MAX_LAYOUT_TOKENS = 100_000
// After the first syntax error the parser guesses, so further errors mean little.
const MAX_SYNTAX_ERRORS = 100
const MAX_SHOWN_CHARACTERS = 200

const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const CLEARER: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'Source contains multiple documents, only one is permitted',
  BAD_ALIAS: "Alias is not valid; to match any type, write '*' in quotes",
}

export type YamlSource =
  | { ok: true; document: Document.Parsed; lines: LineCounter }
  | { ok: false; problems: Problem[] }

export function parseYaml(text: string, kind: FileKind): YamlSource {
  const excess = findExcess(text, kind)
  if (excess) {
    return {
      ok: false,
      problems: [buildProblem(kind, text, makeLineCounter(text), excess.offset, excess.sentence)],
    }
  }
  const lines = new LineCounter()
  // YAML 1.1 words (yes, on, 2001-12-14) are resolved on purpose: other readers of the same file see a boolean or a
  // date there, so the text must be quoted. The reader checks unique keys, because here that would be quadratic.
  const document = parseDocument(text, {
    schema: 'yaml-1.1',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  if (document.errors.length === 0) {
    return { ok: true, document, lines }
  }
  const problems = document.errors
    .slice(0, MAX_SYNTAX_ERRORS)
    .map(({ code, message, pos }) =>
      buildProblem(kind, text, lines, pos[0], CLEARER[code] ?? formatInput(message)),
    )
  return { ok: false, problems }
}

interface Excess {
  offset: number
  sentence: string
}

function findExcess(text: string, kind: FileKind): Excess | undefined {
  if (text.length > MAX_CHARACTERS) {
    return { offset: 0, sentence: `Input should have at most ${MAX_CHARACTERS} characters` }
  }
  const unprintable = text.search(UNPRINTABLE)
  if (unprintable >= 0) {
    return { offset: unprintable, sentence: 'Input should contain only printable characters' }
  }
  return findExcessTokens(text, kind)
}

function findExcessTokens(text: string, kind: FileKind): Excess | undefined {
  const seen = { offset: 0, tokens: 0, layout: 0, aliases: 0, flow: 0, indicators: 0, indent: 0 }
  let isScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    const type = isScalar ? 'scalar' : CST.tokenType(lexeme)
    isScalar = lexeme === CST.SCALAR
    if (isScalar || lexeme === CST.DOCUMENT) continue
    countToken(seen, type, lexeme)
    const sentence = describeExcess(seen, kind)
    if (sentence) return { offset: seen.offset, sentence }
    if (lexeme !== CST.FLOW_END) seen.offset += lexeme.length
  }
  return undefined
}

type Seen = Record<'offset' | 'tokens' | 'layout' | 'aliases' | 'flow' | 'indicators' | 'indent', number>

function countToken(seen: Seen, type: string | null, lexeme: string): void {
  const isLayout = type === 'space' || type === 'newline' || type === 'comment'
  // A bad escape costs as much as a bad token, so it counts as one.
  if (isLayout) seen.layout += 1
  else seen.tokens += lexeme.split('\\').length
  if (type === 'newline') {
    seen.indicators = 0
    seen.indent = 0
  } else if (type === 'space') {
    seen.indent = Math.max(seen.indent, lexeme.length)
  } else if (type === 'alias') {
    seen.aliases += 1
  } else if (type === 'flow-map-start' || type === 'flow-seq-start') {
    seen.flow += 1
  } else if (type === 'flow-map-end' || type === 'flow-seq-end') {
    seen.flow = Math.max(0, seen.flow - 1)
  } else if (type === 'flow-error-end') {
    seen.flow = 0
  } else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') {
    seen.indicators += seen.flow === 0 ? 1 : 0
  }
}

// Block nesting needs either deeper indentation or several indicators on one line, so limiting both limits it.
function describeExcess(seen: Seen, kind: FileKind): string | undefined {
  if (seen.flow > MAX_NESTING || seen.indicators > MAX_NESTING || seen.indent > MAX_INDENT) {
    return 'Input is nested too deeply'
  }
  if (seen.aliases > MAX_ALIASES) return `Input should have at most ${MAX_ALIASES} aliases`
  if (seen.tokens > kind.max_tokens || seen.layout > MAX_LAYOUT_TOKENS) {
    return `Input is too large for a ${kind.root}`
  }
  return undefined
}

function buildProblem(
  kind: FileKind,
  text: string,
  lines: LineCounter,
  offset: number,
  sentence: string,
): Problem {
  const { line, col } = lines.linePos(offset)
  const [input = ''] = text.slice(offset, offset + MAX_SHOWN_CHARACTERS).split('\n', 1)
  return { path: kind.root, line, column: col, sentence, input: formatInput(input) }
}

// The parser counts lines as it goes; lines of text that it has not seen are counted here.
function makeLineCounter(text: string): LineCounter {
  const lines = new LineCounter()
  for (let start = 0; start >= 0; start = text.indexOf('\n', start) + 1 || -1) lines.addNewLine(start)
  return lines
}
