import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chooseTextOrder, compareText } from './text-order.ts'

it('is the order of the code points', () => {
  const any = fc.string({ unit: 'binary', maxLength: 4 })
  fc.assert(
    fc.property(any, any, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))))
    }),
  )
})

it.each([
  ['', 'a'],
  ['a', 'ab'],
  ['Z', 'a'],
  ['\u{ff5e}', '\u{1f600}'],
  ['\u{e000}x', '\u{10000}'],
])('%j before %j', (a, b) => {
  expect(compareText(a, b)).toBeLessThan(0)
  expect(compareText(b, a)).toBeGreaterThan(0)
})

it.each([
  ['plain texts', fc.string({ unit: 'grapheme-ascii', maxLength: 4 })],
  ['any texts', fc.string({ unit: 'binary', maxLength: 4 })],
])('is the same for many at once: %s', (_, text) => {
  fc.assert(
    fc.property(fc.array(text), texts => {
      expect([...texts].sort(chooseTextOrder(texts))).toEqual([...texts].sort(compareText))
    }),
  )
})

it('is the same for many at once if only one has a high unit', () => {
  const texts = ['a', '\u{1f600}', '\u{ff5e}', 'b']
  expect([...texts].sort(chooseTextOrder(texts))).toEqual(['a', 'b', '\u{ff5e}', '\u{1f600}'])
})
