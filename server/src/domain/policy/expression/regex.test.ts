import { type Counted, loadCounted } from '@waybill/testing/steps'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileRegex, computeSize, MAX_REGEX_SIZE } from './regex.ts'

describe('size', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['a{10}', 10],
    ['a{2,10}', 10],
    ['a{10,}', 11],
    ['(ab){10}', 30],
    ['((a{10}){10}){10}', 1_110],
    ['[a-f0-9]{64}', 64],
    ['[](]{3}', 3],
    ['[[:alpha:](]{3}', 3],
    ['([\\](]x){3}', 9],
    ['\\pL{3}', 4],
    ['\\p{Greek}{3}', 3],
    ['(\\Q(\\E){3}', 6],
    ['a+{3}', 4],
    ['a{20}(?i){20}', 400],
    ['a{20}\\Q\\E{20}', 400],
  ])('%s', (pattern, size) => expect(computeSize(pattern)).toBe(size))

  // An underestimate would accept a pattern that takes seconds to compile.
  it('is never far below what the engine makes of a pattern', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        '.',
        '^',
        '|',
        '(',
        ')',
        '(?:',
        '[ab]',
        '[](]',
        '[^])]',
        '[[:alpha:](]',
        '[(',
        '\\(',
        '\\)',
        '\\[',
      ],
      ...[
        '\\Q(\\E',
        '\\Q)',
        '\\E',
        '\\d',
        '\\pL',
        '{3}',
        '{2,7}',
        '{20}',
        '{5,}',
        '{,5}',
        '?',
        '*',
        '+',
        '(?i)',
        '\\x{28}',
      ],
    )
    const pattern = fc.array(piece, { maxLength: 14 }).map(pieces => pieces.join(''))
    fc.assert(
      fc.property(pattern, text => {
        if (computeSize(text) > MAX_REGEX_SIZE) return
        const compiled = compileRegex(text)
        if (compiled.ok) expect(RE2JS.compile(text).programSize()).toBeLessThanOrEqual(4 * compiled.size + 10)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('refused', () => {
  let counted: Counted<typeof import('./regex.ts')>
  beforeAll(async () => {
    counted = await loadCounted(new URL('./regex.ts', import.meta.url))
  })

  it.each([
    ['(a{1000})'.repeat(400), /too large/],
    ['\\pL{1000}'.repeat(400), /too large/],
    ['(a{500}b{500}){3}', /too large/],
    ['a{1001}', /not valid/],
    ['('.repeat(1_500), /not valid/],
    ['[z-a]', /^Regular expression is not valid: invalid character class range/],
  ])('%s, and soon', (pattern, sentence) => {
    expect(compileRegex(pattern)).toMatchObject({ ok: false, sentence: expect.stringMatching(sentence) })
    const { module, stepsOf } = counted
    expect(stepsOf(() => module.compileRegex(pattern))).toBeLessThan(100 + 50 * pattern.length)
  })
})
