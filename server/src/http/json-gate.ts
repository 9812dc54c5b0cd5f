// The only parser for untrusted JSON, before any validation: valid UTF-8 and JSON, limited depth, no NUL, no lone
// surrogate, no number that reads back differently, no duplicate keys. PostgreSQL or another parser would fail on
// each of these later, and that would be our bug.
import { isUtf8 } from 'node:buffer'
import { type FieldErrors, invalid } from '../lib/errors.ts'

export const MAX_JSON_DEPTH = 64

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
// From here on JavaScript prints an integer with an exponent, which claims no more digits than it has.
const PRINTED_IN_FULL = 1e21

/** A number can underflow to zero only if the text contains one of these, which names contain too. */
const MAY_UNDERFLOW = /[eE]-\d\d|0{300}/
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const [OPENING_BRACKET, OPENING_BRACE] = [0x5b, 0x7b]
const [CLOSING_BRACKET, CLOSING_BRACE] = [0x5d, 0x7d]

/**
 * Returns the value, or throws a 400 that names the path. `field` is the key of errors: `body` or the name of a part.
 */
export function parseJson(bytes: Buffer, field: string): unknown {
  if (!isUtf8(bytes)) throw invalid({ [field]: 'Text is not valid UTF-8' })
  const text = bytes.toString('utf8')
  const { is_too_deep, colons } = scanText(text)
  if (is_too_deep) throw invalid({ [field]: `Nesting is deeper than ${MAX_JSON_DEPTH}` })
  const value = parseText(text, field)
  // Valid UTF-8 has no lone surrogates and valid JSON no bare NUL: both can only come from escapes.
  const { keys, is_odd, has_zero } = inspectValue(value, text.includes('\\u'))
  if (is_odd) throw invalid(findProblems(value, field))
  if (has_zero && MAY_UNDERFLOW.test(text)) refuseUnderflows(text, field)
  if (keys !== colons) throw invalid({ [field]: 'An object has the same key twice' })
  return value
}

/**
 * One pass before anything is built: a mebibyte of brackets would keep the parser busy for half a second. Outside of
 * strings, valid JSON has one colon per key.
 */
function scanText(text: string): { is_too_deep: boolean; colons: number } {
  let depth = 0
  let colons = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character === QUOTE) inString = !inString
    else if (inString) i += character === BACKSLASH ? 1 : 0
    else if (character === COLON) colons++
    else if (character === OPENING_BRACE || character === OPENING_BRACKET) {
      if (++depth > MAX_JSON_DEPTH) return { is_too_deep: true, colons }
    } else if (character === CLOSING_BRACE || character === CLOSING_BRACKET) depth--
  }
  return { is_too_deep: false, colons }
}

function parseText(text: string, field: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8's message quotes the text, which may contain secrets: only the position is passed on.
    const place = / at position (\d+)/.exec(String(error))?.[1]
    const where = place === undefined ? '' : ` ${formatPosition(text, Number(place))}`
    throw invalid({ [field]: `Text is not valid JSON${where}` })
  }
}

/** Scanning the text again costs more than everything else, so it is done only if the value contains a zero. */
function refuseUnderflows(text: string, field: string): void {
  const problems = findProblems(JSON.parse(replaceUnderflows(text)), field)
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Replaces numbers that underflow to zero with negative zero, which is then rejected with its path. */
function replaceUnderflows(text: string): string {
  return text.replaceAll(STRING_OR_NUMBER, token => {
    const isLost = !token.startsWith('"') && Number(token) === 0 && /^[^eE]*[1-9]/.test(token)
    return isLost ? '-0' : token
  })
}

function formatPosition(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/**
 * Counts the keys and checks for invalid values. The path of an invalid value is expensive and is computed only if
 * needed.
 */
function inspectValue(
  root: unknown,
  has_escapes: boolean,
): { keys: number; is_odd: boolean; has_zero: boolean } {
  let keys = 0
  let has_zero = false
  const open: unknown[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'number') {
      if (value === 0) has_zero = true
      if (findNumberProblem(value)) return { keys, is_odd: true, has_zero }
    } else if (typeof value === 'string') {
      if (has_escapes && findScalarProblem(value)) return { keys, is_odd: true, has_zero }
    } else if (Array.isArray(value)) {
      for (const inner of value) if (isInspectable(inner)) open.push(inner)
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        keys++
        if (has_escapes && findScalarProblem(key)) return { keys, is_odd: true, has_zero }
        const inner = (value as Record<string, unknown>)[key]
        if (isInspectable(inner)) open.push(inner)
      }
    }
  }
  return { keys, is_odd: false, has_zero }
}

function findProblems(root: unknown, field: string): FieldErrors {
  // Fields of a part have the same keys as in validation: `data_json.user_data`.
  const inside = field === 'body' ? '' : `${field}.`
  const open: { value: unknown; path: string }[] = [{ value: root, path: '' }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next
    const place = path === '' ? field : inside + path
    const problem = findScalarProblem(value)
    if (problem) return { [place]: problem }
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) open.push({ value: value[i], path: `${path}[${i}]` })
      continue
    }
    for (const [key, inner] of Object.entries(value)) {
      if (findScalarProblem(key)) return { [place]: 'A key contains a character that cannot be stored' }
      open.push({ value: inner, path: path ? `${path}.${key}` : key })
    }
  }
  return {}
}

function isInspectable(value: unknown): boolean {
  return (
    (typeof value === 'object' && value !== null) || typeof value === 'string' || typeof value === 'number'
  )
}

function findScalarProblem(value: unknown): string | undefined {
  if (typeof value === 'number') return findNumberProblem(value)
  if (typeof value !== 'string') return undefined
  if (value.includes('\0')) return 'Text contains a NUL character'
  if (LONE_SURROGATE.test(value)) return 'Text contains half of a surrogate pair'
  return undefined
}

/** Evidence must read back as it was sent: from 2^53 on JavaScript would round an integer silently. */
function findNumberProblem(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'Number is too large'
  if (Object.is(value, -0)) return 'Number is a negative zero, or too close to zero to be stored; send 0'
  const isRounded =
    Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < PRINTED_IN_FULL
  return isRounded ? 'Number is too large to be stored exactly; send it as text' : undefined
}
