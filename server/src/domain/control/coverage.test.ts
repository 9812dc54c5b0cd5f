import { expect, it } from 'vitest'
import { computeCoveragePercent } from './coverage.ts'

it.each([
  // total, covered, percent
  [0, 0, 0],
  [5, 0, 0],
  [5, 5, 100],
  [2, 1, 50],
  [3, 1, 33.3],
  [3, 2, 66.7],
  [8, 1, 12.5],
  [7, 3, 42.9],
  [1000, 999, 99.9],
  [100_000, 99_999, 99.9],
  [100_000, 1, 0.1],
])('of %s, %s covered are %s percent', (total, covered, percent) => {
  expect(computeCoveragePercent(total, covered)).toBe(percent)
})
