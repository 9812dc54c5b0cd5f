// The widths of the history band, case by case.
import { describe, expect, it } from 'vitest'
import {
  computeStarts,
  computeWidths,
  extendRange,
  findCellAt,
  spanRange,
} from '../../web/src/pages/environments/band-widths.ts'

describe('the cells of a band', () => {
  it.each([
    ['of equal times are equally wide', [5, 5, 5, 5], [0.25, 0.25, 0.25, 0.25]],
    ['are as wide as their time, and never too narrow to click', [90, 10, 0], [0.787, 0.147, 0.067]],
    ['without any time are equally wide', [0, 0], [0.5, 0.5]],
    ['are none', [], []],
  ])('%s', (_, weights, widths) => {
    expect(computeWidths(weights).map(width => Math.round(width * 1000) / 1000)).toEqual(widths)
  })

  it('fill the band', () => {
    const widths = computeWidths([1, 1000, 3, 0, 86_400])
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(1)
    expect(computeStarts(widths)[0]).toBe(0)
  })

  it.each([
    [-1, 0],
    [0, 0],
    [0.49, 0],
    [0.5, 1],
    [0.99, 2],
    [7, 2],
  ])('are found at %s', (share, cell) => {
    expect(findCellAt([0.5, 0.25, 0.25], share)).toBe(cell)
  })
})

describe('a range of cells', () => {
  it.each([
    ['begins at the selected cell', null, 'ArrowLeft', { first: 1, last: 2 }],
    ['begins earlier', { first: 1, last: 2 }, 'ArrowLeft', { first: 0, last: 2 }],
    ['ends later', { first: 1, last: 2 }, 'ArrowRight', { first: 1, last: 3 }],
    ['stays in the band at its beginning', { first: 0, last: 2 }, 'ArrowLeft', { first: 0, last: 2 }],
    ['stays in the band at its end', { first: 1, last: 3 }, 'ArrowRight', { first: 1, last: 3 }],
    ['does not follow other keys', { first: 1, last: 2 }, 'a', undefined],
  ])('%s', (_, range, key, extended) => {
    expect(extendRange(range, key, 2, 4)).toEqual(extended)
  })

  it('is the same whichever end comes first', () => {
    expect(spanRange(5, 2)).toEqual({ first: 2, last: 5 })
    expect(spanRange(2, 5)).toEqual({ first: 2, last: 5 })
  })
})
