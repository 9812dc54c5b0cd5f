// The widths of the history band, case by case.
import { describe, expect, it } from 'vitest'
import { computeStarts, computeWidths, findCellAt } from '../../web/src/pages/environments/band-widths.ts'

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
