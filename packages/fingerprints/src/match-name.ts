// Matches a name against a pattern as Go's `filepath.Match` does on Unix, byte for byte: `*` matches any
// bytes but a slash, `?` one character, `[a-z]` and `[^a-z]` one of a class, and `\` escapes the next
// character. As in Go, the name decides which malformed patterns are noticed.
import type { Bytes } from './byte-paths.ts'

const SLASH = '/'
const REPLACEMENT = 0xfffd

export class MalformedPattern extends Error {}

/** Throws `MalformedPattern`. */
export function matchesName(pattern: Bytes, name: Bytes): boolean {
  let from = 0
  let position = 0
  while (from < pattern.length) {
    const run = readRun(pattern, from)
    if (run.has_star && run.start === run.end) return !name.includes(SLASH, position)
    const isLast = run.end === pattern.length
    const end = placeRun(pattern, run, name, position, isLast)
    if (end === undefined) return false
    position = end
    from = run.end
  }
  return position === name.length
}

/** Whether `matchesName` cannot throw for any name. */
export function isWellFormed(pattern: Bytes): boolean {
  try {
    for (let from = 0; from < pattern.length; ) {
      const run = readRun(pattern, from)
      matchRun(pattern, run, '' as Bytes, 0)
      from = run.end
    }
    return true
  } catch (error) {
    if (error instanceof MalformedPattern) return false
    throw error
  }
}

export function hasWildcard(pattern: string): boolean {
  return /[*?[\\]/.test(pattern)
}

/** The part of a pattern between two stars, and whether a star precedes it. */
interface Run {
  has_star: boolean
  start: number
  end: number
}

function readRun(pattern: Bytes, from: number): Run {
  let start = from
  while (pattern[start] === '*') start++
  let isInClass = false
  let end = start
  for (; end < pattern.length; end++) {
    const character = pattern[end]
    if (character === '\\') end++
    else if (character === '[') isInClass = true
    else if (character === ']') isInClass = false
    else if (character === '*' && !isInClass) break
  }
  return { has_star: start > from, start, end: Math.min(end, pattern.length) }
}

/** The end of the run in the name. After a star, the run may begin at any later byte up to a slash. */
function placeRun(pattern: Bytes, run: Run, name: Bytes, from: number, isLast: boolean): number | undefined {
  for (let position = from; ; position++) {
    const end = matchRun(pattern, run, name, position)
    if (end !== undefined && (!isLast || end === name.length)) return end
    if (!run.has_star || position >= name.length || name[position] === SLASH) return undefined
  }
}

/** Reads the whole run even if the name does not match, because malformed ones must be noticed. */
function matchRun(pattern: Bytes, run: Run, name: Bytes, from: number): number | undefined {
  let position = from
  let isMatch = true
  for (let at = run.start; at < run.end; ) {
    isMatch &&= position < name.length
    const character = pattern[at]
    if (character === '[') {
      const [code, width] = isMatch ? decodeCharacter(name, position) : [0, 0]
      const found = readClass(pattern, at + 1, run.end, code)
      isMatch &&= found.is_member
      position += width
      at = found.end
    } else if (character === '?') {
      isMatch &&= name[position] !== SLASH
      if (isMatch) position += decodeCharacter(name, position)[1]
      at++
    } else {
      if (character === '\\') at++
      if (at >= run.end) throw new MalformedPattern()
      isMatch &&= name[position] === pattern[at]
      position++
      at++
    }
  }
  return isMatch ? position : undefined
}

/** Parses a class after its opening bracket. `end` is the position after the closing one. */
function readClass(
  pattern: Bytes,
  from: number,
  end: number,
  code: number,
): { is_member: boolean; end: number } {
  const isNegated = from < end && pattern[from] === '^'
  let at = isNegated ? from + 1 : from
  let isListed = false
  for (let ranges = 0; ; ranges++) {
    if (ranges > 0 && at < end && pattern[at] === ']')
      return { is_member: isListed !== isNegated, end: at + 1 }
    const low = readMember(pattern, at, end)
    const high = pattern[low.end] === '-' ? readMember(pattern, low.end + 1, end) : low
    isListed ||= low.code <= code && code <= high.code
    at = high.end
  }
}

function readMember(pattern: Bytes, from: number, limit: number): { code: number; end: number } {
  if (from >= limit || pattern[from] === '-' || pattern[from] === ']') throw new MalformedPattern()
  const at = pattern[from] === '\\' ? from + 1 : from
  if (at >= limit) throw new MalformedPattern()
  const [code, width] = decodeCharacter(pattern, at)
  // Invalid UTF-8, or an unterminated class.
  if ((code === REPLACEMENT && width === 1) || at + width >= limit) throw new MalformedPattern()
  return { code, end: at + width }
}

/** The UTF-8 character at a position, and its width. An invalid byte is U+FFFD with a width of one. */
function decodeCharacter(bytes: Bytes, at: number): [code: number, width: number] {
  const first = bytes.charCodeAt(at)
  if (first < 0x80) return [first, 1]
  const width = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  const character = Buffer.from(bytes.slice(at, at + width), 'latin1')
  const code = character.toString('utf8').codePointAt(0) ?? REPLACEMENT
  // Decoding replaces invalid bytes, so only valid ones survive the round trip.
  const isValid = first >= 0xc2 && Buffer.from(String.fromCodePoint(code), 'utf8').equals(character)
  return isValid ? [code, width] : [REPLACEMENT, 1]
}
