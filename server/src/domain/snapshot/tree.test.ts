// Every interval is found from each of its numbers and from no other.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeIntervalNode, computeRootPath } from './tree.ts'

const MOST = 2 ** 31 - 1

function isFound(first: number, last: number, index: number): boolean {
  const node = computeIntervalNode(first, last)
  const { at_or_before, after } = computeRootPath(index)
  return (at_or_before.includes(node) && last >= index) || (after.includes(node) && first <= index)
}

describe('intervals in the tree', () => {
  it.each([
    [1, 1, 1],
    [1, 2, 2],
    [2, 3, 2],
    [5, 7, 6],
    [3, 5, 4],
    [1, 1000, 512],
    [MOST, MOST, MOST],
    [1, MOST, 2 ** 30],
  ])('files %i to %i at %i', (first, last, node) => expect(computeIntervalNode(first, last)).toBe(node))

  it('finds every interval of the first fifty numbers from exactly its numbers', () => {
    for (let first = 1; first <= 50; first++) {
      for (let last = first; last <= 50; last++) {
        for (let index = 1; index <= 60; index++) {
          expect(isFound(first, last, index)).toBe(first <= index && index <= last)
        }
      }
    }
  })

  it('finds long ones as well', () => {
    const number = fc.integer({ min: 1, max: MOST })
    fc.assert(
      fc.property(number, number, number, (a, b, index) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)]
        expect(isFound(first, last, index)).toBe(first <= index && index <= last)
      }),
    )
  })

  it('walks each way in 31 steps', () => {
    const { at_or_before, after } = computeRootPath(12_345)
    expect(at_or_before.length + after.length).toBe(31)
  })
})
