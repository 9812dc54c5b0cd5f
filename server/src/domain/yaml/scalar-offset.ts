// Finds the position of a character of a string in the YAML text. The string differs from its text by quotes,
// escapes, folded lines and indentation; all but the escapes change white space only, so the n-th other character is
// the same one.

import type { Scalar } from 'yaml'

const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n|[\s\S])/y
const SPACE_ESCAPES = [
  '\\ ',
  '\\t',
  '\\n',
  '\\r',
  '\\\t',
  '\\\n',
  '\\\r\n',
  '\\x20',
  '\\u0020',
  '\\U00000020',
]
const WHITE = /[ \t\r\n]/

// `index` counts in the value of the scalar. White space has the position of the next character, the end the position
// after the last character.
export function computeOffset(text: string, scalar: Scalar, index: number): number {
  const value = typeof scalar.value === 'string' ? scalar.value : ''
  const target = countNonSpace(value.slice(0, index))
  const isBehind = value.slice(index).trim() === ''
  const offsets = listNonSpaceOffsets(text, scalar)
  const start = scalar.range?.[0] ?? 0
  if (!isBehind) return offsets[target] ?? start
  const last = offsets[target - 1]
  return last === undefined ? start : last + 1
}

function countNonSpace(value: string): number {
  return value.replaceAll(/[ \t\r\n]/g, '').length
}

function listNonSpaceOffsets(text: string, scalar: Scalar): number[] {
  const [start = 0, end = 0] = scalar.range ?? []
  if (scalar.type === 'QUOTE_DOUBLE') return listUnescapedOffsets(text, start + 1, end - 1)
  if (scalar.type === 'QUOTE_SINGLE') return listPlainOffsets(text, start + 1, end - 1, "'")
  if (scalar.type === 'BLOCK_LITERAL' || scalar.type === 'BLOCK_FOLDED') {
    // The first line has the block indicator and perhaps a comment.
    return listPlainOffsets(text, text.indexOf('\n', start) + 1, end, undefined)
  }
  return listPlainOffsets(text, start, end, undefined)
}

// `doubled` is a character that is escaped by doubling it.
function listPlainOffsets(text: string, start: number, end: number, doubled: string | undefined): number[] {
  const offsets: number[] = []
  for (let at = start; at < end; at += 1) {
    const character = text[at] ?? ''
    if (WHITE.test(character)) continue
    offsets.push(at)
    if (character === doubled) at += 1
  }
  return offsets
}

function listUnescapedOffsets(text: string, start: number, end: number): number[] {
  const offsets: number[] = []
  for (let at = start; at < end; ) {
    ESCAPE.lastIndex = at
    const escaped = ESCAPE.exec(text)?.[0]
    const isWhite = escaped === undefined ? WHITE.test(text[at] ?? '') : SPACE_ESCAPES.includes(escaped)
    if (!isWhite) offsets.push(at)
    // Beyond U+FFFF one escape produces two units.
    if (escaped?.startsWith('\\U') && Number.parseInt(escaped.slice(2), 16) > 0xffff) offsets.push(at)
    at += escaped?.length ?? 1
  }
  return offsets
}
