// Finds the first error in text that JSON.parse rejected, because its own message has no position on Node 20.
// Used only for messages: JSON.parse decides what is valid. Scans by hand, because a regular expression that
// matches a string of many megabytes can overflow the stack.

export interface JsonError {
  line: number
  column: number
  /** The expected token, in words. */
  expected: string
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const MAX_CHECKED_DIGITS = 1_000

type Expects = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'more'

const WORDS: Record<Expects, string> = {
  value: 'a value',
  'first value': "a value or ']'",
  name: 'a name in double quotes',
  'first name': "a name in double quotes or '}'",
  colon: "':'",
  more: "',' or the end of the list or object",
}

interface Step {
  /** The position after the token. */
  next: number
  expects: Expects
}

export function findJsonError(text: string): JsonError {
  const open: string[] = []
  let expects: Expects = 'value'
  let at = skipSpace(text, 0)
  while (expects !== 'more' || open.length > 0) {
    const step = readToken(text, at, expects, open)
    if (step === undefined) return locate(text, at, WORDS[expects])
    expects = step.expects
    at = skipSpace(text, step.next)
  }
  return locate(text, at, 'nothing more')
}

function readToken(text: string, at: number, expects: Expects, open: string[]): Step | undefined {
  const character = text[at]
  const inside = open.at(-1)
  if (isClosing(expects, character, inside)) {
    open.pop()
    return { next: at + 1, expects: 'more' }
  }
  if (expects === 'colon') return character === ':' ? { next: at + 1, expects: 'value' } : undefined
  if (expects === 'more') {
    return character === ',' ? { next: at + 1, expects: inside === '{' ? 'name' : 'value' } : undefined
  }
  if (expects === 'name' || expects === 'first name') return toStep(findStringEnd(text, at), 'colon')
  if (character === '{' || character === '[') {
    open.push(character)
    return { next: at + 1, expects: character === '{' ? 'first name' : 'first value' }
  }
  return toStep(findStringEnd(text, at) ?? findNumberEnd(text, at) ?? findWordEnd(text, at), 'more')
}

function isClosing(expects: Expects, character: string | undefined, inside: string | undefined): boolean {
  if (inside === '{') return character === '}' && (expects === 'more' || expects === 'first name')
  return inside === '[' && character === ']' && (expects === 'more' || expects === 'first value')
}

const toStep = (next: number | undefined, expects: Expects): Step | undefined =>
  next === undefined ? undefined : { next, expects }

function findStringEnd(text: string, at: number): number | undefined {
  if (text[at] !== '"') return undefined
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i] ?? ''
    if (character === '"') return i + 1
    if (character < ' ') return undefined
    if (character === '\\') {
      const escaped = text.slice(i + 1, i + 6)
      if (!/^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(escaped)) return undefined
      i++
    }
  }
  return undefined
}

function findNumberEnd(text: string, at: number): number | undefined {
  let end = at
  while (end < text.length && '+-.eE0123456789'.includes(text[end] ?? ' ')) end++
  return NUMBER.test(text.slice(at, Math.min(end, at + MAX_CHECKED_DIGITS))) ? end : undefined
}

function findWordEnd(text: string, at: number): number | undefined {
  const word = ['true', 'false', 'null'].find(each => text.startsWith(each, at))
  return word === undefined ? undefined : at + word.length
}

function skipSpace(text: string, at: number): number {
  let end = at
  while (end < text.length && ' \t\r\n'.includes(text[end] ?? 'x')) end++
  return end
}

function locate(text: string, at: number, expected: string): JsonError {
  let line = 1
  let line_start = 0
  for (let i = text.indexOf('\n'); i !== -1 && i < at; i = text.indexOf('\n', i + 1)) {
    line++
    line_start = i + 1
  }
  const found = at >= text.length ? ', found the end of the file' : ''
  return { line, column: at - line_start + 1, expected: expected + found }
}
