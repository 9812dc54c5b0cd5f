// The one gate for JSON from outside, before any validation: valid UTF-8 and JSON, not too deep, no NUL, no lone
// surrogate, no number that reads back as something else, no key twice in one object. PostgreSQL or a second parser
// would stumble over each of these later, and then it would be our fault.
import { isUtf8 } from 'node:buffer'
import { type FieldErrors, invalid } from '../lib/errors.ts'

export const MAX_JSON_DEPTH = 64

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
// In valid JSON a string followed by a colon is always a key.
const STRING_OR_KEY = /"(?:[^"\\]+|\\.)*"(\s*:)?/g

/** The value, or a 400 that names the place. `field` is what the errors are keyed by: `body` or a part's name. */
export function parseJson(bytes: Buffer, field: string): unknown {
  if (!isUtf8(bytes)) throw invalid({ [field]: 'Text is not valid UTF-8' })
  const text = bytes.toString('utf8')
  const value = parsed(text, field)
  const keys = { count: 0 }
  const errors = problemsIn(value, field, keys)
  if (errors) throw invalid(errors)
  if (keys.count !== keyTokensIn(text)) throw invalid({ [field]: 'An object has the same key twice' })
  return value
}

function parsed(text: string, field: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8's message quotes the text, which may hold secrets: only the place is passed on.
    const place = / at position (\d+)/.exec(String(error))?.[1]
    const where = place === undefined ? '' : ` ${lineAndColumn(text, Number(place))}`
    throw invalid({ [field]: `Text is not valid JSON${where}` })
  }
}

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** Walks without recursion: a body may be nested a million deep before this says so. */
function problemsIn(root: unknown, field: string, keys: { count: number }): FieldErrors | undefined {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path, depth } = next
    const problem = depth > MAX_JSON_DEPTH ? `Nesting is deeper than ${MAX_JSON_DEPTH}` : scalarProblem(value)
    if (problem) return { [path || field]: problem }
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        if (isWorthALook(value[i])) open.push({ value: value[i], path: `${path}[${i}]`, depth: depth + 1 })
      }
      continue
    }
    for (const [key, inner] of Object.entries(value)) {
      keys.count++
      if (scalarProblem(key)) return { [path || field]: 'A key holds a character that cannot be stored' }
      if (isWorthALook(inner))
        open.push({ value: inner, path: path ? `${path}.${key}` : key, depth: depth + 1 })
    }
  }
  return undefined
}

function isWorthALook(value: unknown): boolean {
  return typeof value === 'object' || typeof value === 'string' || typeof value === 'number'
}

function scalarProblem(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'Number is too large'
  if (typeof value !== 'string') return undefined
  if (value.includes('\0')) return 'Text holds a NUL character'
  if (LONE_SURROGATE.test(value)) return 'Text holds half of a surrogate pair'
  return undefined
}

function keyTokensIn(text: string): number {
  let count = 0
  for (const match of text.matchAll(STRING_OR_KEY)) if (match[1] !== undefined) count++
  return count
}
