import { describe, expect, it } from 'vitest'
import { isMap, isScalar, parseDocument } from 'yaml'
import { computeOffset } from './scalar-offset.ts'

// The position of `@` in the scalar after the key, as line:column.
const findAtSign = (text: string): string => {
  const { contents } = parseDocument(text)
  const value = isMap(contents) ? contents.items[0]?.value : undefined
  if (!isScalar(value) || typeof value.value !== 'string') throw new Error('no string')
  const offset = computeOffset(text, value, value.value.indexOf('@'))
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

describe('the place of a character', () => {
  it.each([
    ['plain', 'if: a  b @ c'],
    ['plain over two lines', 'if: a b\n  c  @ d'],
    ['single quotes', "if: 'a ''b'' @ c'"],
    ['single quotes over two lines', "if: 'a ''\n\n  b'' @ c'"],
    ['double quotes', 'if: "a \\"b\\" \\\\ @ c"'],
    ['escapes of every length', 'if: "\\x41 \\u0042 \\U0001F600 \\t\\n\\r \\e @"'],
    ['a line that is continued', 'if: "a \\\n   b @"'],
    ['literal block', 'if: |\n  a\n   b @ c\n'],
    ['literal block with a comment', 'if: |- # a @ b\n\n  a\n  @ c'],
    ['folded block', 'if: >-\n  a\n  b\n\n  c @ d\n'],
    ['behind an anchor', 'if: &x a @'],
    ['characters beyond 16 bits', 'if: 😀 @'],
  ])('%s', (_, text) => {
    const target = text.lastIndexOf('@')
    const before = text.slice(0, target).split('\n')
    expect(findAtSign(text)).toBe(`${before.length}:${(before.at(-1)?.length ?? 0) + 1}`)
  })

  it('is after the last character for the end, and at the next one for white space', () => {
    const { contents } = parseDocument('if:  a   b  ')
    const value = isMap(contents) ? contents.items[0]?.value : undefined
    if (!isScalar(value)) throw new Error('no scalar')
    expect(computeOffset('if:  a   b  ', value, 5)).toBe(10)
    expect(computeOffset('if:  a   b  ', value, 1)).toBe(9)
  })
})
