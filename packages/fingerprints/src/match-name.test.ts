import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bytes, toBytes } from './byte-paths.ts'
import { isWellFormed, MalformedPattern, matchesName } from './match-name.ts'

describe('a pattern', () => {
  it.each([
    ['*', ''],
    ['*', 'abc'],
    ['a*c', 'abbc'],
    ['a*b*c', 'axbxbc'],
    ['*a', 'aaa'],
    ['?', 'é'],
    ['??', 'aé'],
    ['[a-c]', 'b'],
    ['[a-c]x', 'cx'],
    ['[^a-c]', 'd'],
    ['[é-ö]', 'í'],
    ['[]-]'.replace(']-', '\\]-a'), 'a'],
    ['a\\*', 'a*'],
    ['\\a', 'a'],
    ['[*]', '*'],
    ['*[*]*', 'a*b'],
    ['[!a]', '!'],
    ['a/*', 'a/b'],
  ])('%s matches %s', (pattern, name) => expect(matchesName(toBytes(pattern), toBytes(name))).toBe(true))

  it.each([
    ['*', 'a/b'],
    ['?', ''],
    ['?', '/'],
    ['?', 'ab'],
    ['a*c', 'abd'],
    ['[a-c]', 'd'],
    ['[^a-c]', 'b'],
    ['a\\*', 'ab'],
    ['', 'a'],
    ['*?b', 'b'],
    ['*??', 'é'],
    ['[c-a]', 'b'],
  ])('%s does not match %s', (pattern, name) =>
    expect(matchesName(toBytes(pattern), toBytes(name))).toBe(false),
  )

  it('counts an invalid UTF-8 byte as one character', () => {
    const name = toBytes(Buffer.from([0x61, 0xff, 0x62]))
    expect(matchesName(toBytes('a?b'), name)).toBe(true)
    expect(matchesName(toBytes('a??b'), name)).toBe(false)
    expect(matchesName(toBytes('a[^x]b'), name)).toBe(true)
    expect(matchesName(toBytes('a[\ufffd]b'), name)).toBe(true)
  })

  it.each(['[', 'a[', '[]', '[]a]', '[a-]', '[-a]', '[a', '\\', 'a\\', '[\\', '[a-\\'])(
    '%s is malformed',
    pattern => {
      expect(() => matchesName(toBytes(pattern), toBytes('a'))).toThrow(MalformedPattern)
      expect(isWellFormed(toBytes(pattern))).toBe(false)
    },
  )

  it('is recognized as malformed after a star only if the name gets that far', () => {
    expect(matchesName(toBytes('a*['), toBytes('b'))).toBe(false)
    expect(() => matchesName(toBytes('a*['), toBytes('ab'))).toThrow(MalformedPattern)
    expect(isWellFormed(toBytes('a*['))).toBe(false)
  })

  it('never throws if it is well formed, whatever the name', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '[', ']', '^', '-', '\\', 'é', '/') })
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        fc.pre(isWellFormed(toBytes(pattern)))
        matchesName(toBytes(pattern), toBytes(name))
      }),
    )
  })

  it('with every character escaped matches exactly its own text', () => {
    const bytes = fc.uint8Array({ max: 255 }).map(array => toBytes(array.map(byte => byte || 1)))
    fc.assert(
      fc.property(bytes, bytes, (name, other) => {
        const pattern = name.replaceAll(/[\s\S]/g, '\\$&') as Bytes
        expect(matchesName(pattern, name)).toBe(true)
        expect(matchesName(pattern, other)).toBe(name === other)
      }),
    )
  })
})
