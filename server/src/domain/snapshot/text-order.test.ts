import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareText } from './text-order.ts'

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
