// Regular expressions of policies, in RE2 syntax, so that matching is linear in the text. Compiling can be slow,
// though: `(a{1000})` four hundred times takes a second, so the size is computed before anything is compiled.

import { RE2JS } from 're2js'
import { formatInput } from '../../yaml/problems.ts'

export const MAX_REGEX_SIZE = 2_000

export type CompiledRegex = { ok: true; regex: RE2JS; size: number } | { ok: false; sentence: string }

const REPEAT = /\{(\d+)(,?)(\d*)\}/y
const CLASS = /\[\^?\]?(?:\\[\s\S]|\[:\^?[a-z]*:\]|[^\]\\])*\]/y
const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)/y
// These match no text of their own: in `a{20}(?i){20}` the second repetition applies to the first.
const TRANSPARENT = /\(\?[a-zA-Z-]+\)|\\Q\\E|\\E/y
const ESCAPE = /\\(?:[pPx]\{[^}]*\}|[\s\S])/y

export function compileRegex(pattern: string): CompiledRegex {
  const size = computeSize(pattern)
  if (size > MAX_REGEX_SIZE) {
    return {
      ok: false,
      sentence: `Regular expression is too large: with its repetitions expanded it should have at most ${MAX_REGEX_SIZE} parts`,
    }
  }
  try {
    return { ok: true, regex: RE2JS.compile(pattern), size }
  } catch (error) {
    // The engine reports a bad pattern only by throwing, and a bad pattern is a user error.
    return { ok: false, sentence: describeProblem(error instanceof Error ? error.message : '') }
  }
}

// The number of parts once `x{3}` is written as `xxx`, which is how the engine compiles it.
export function computeSize(pattern: string): number {
  const outer: number[] = []
  let group = 0
  let atom = 0
  for (let at = 0; at < pattern.length; ) {
    const repeat = matchAt(REPEAT, pattern, at)
    const transparent = matchAt(TRANSPARENT, pattern, at)
    if (transparent) {
      at += transparent[0].length
    } else if (repeat) {
      group += atom * Math.max(countRepeats(repeat) - 1, 0)
      atom *= countRepeats(repeat)
      at += repeat[0].length
    } else if (pattern[at] === '(') {
      outer.push(group)
      group = 1
      at += 1
    } else if (pattern[at] === ')') {
      atom = group
      group += outer.pop() ?? 0
      at += 1
    } else {
      const [length, size] = readAtom(pattern, at)
      // `a?{5}` and `a{2}?` repeat the part before the sign, not the sign.
      if (!'?*+'.includes(pattern[at] ?? '')) atom = size
      group += size
      at += length
    }
  }
  return outer.reduce((sum, size) => sum + size, group)
}

function readAtom(pattern: string, at: number): [length: number, size: number] {
  const quoted = matchAt(QUOTED, pattern, at)
  if (quoted) return [quoted[0].length, quoted[1]?.length ?? 0]
  const single = matchAt(CLASS, pattern, at) ?? matchAt(ESCAPE, pattern, at)
  return [single?.[0].length ?? 1, 1]
}

function countRepeats([, low = '', comma, high]: RegExpExecArray): number {
  if (comma === '') return Number(low)
  return high ? Number(high) : Number(low) + 1
}

function describeProblem(message: string): string {
  if (/`\(\?<?[=!]/.test(message))
    return 'Look-ahead and look-behind are not supported in a regular expression'
  if (/escape sequence: `\\\d/.test(message))
    return 'Back references are not supported in a regular expression'
  const why = formatInput(message.replace(/^error parsing regexp: /, ''))
  return why === '' ? 'Regular expression is not valid' : `Regular expression is not valid: ${why}`
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
