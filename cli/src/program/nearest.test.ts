import { describe, expect, it } from 'vitest'
import { findNearest } from './nearest.ts'

const NAMES = ['list flows', 'list trails', 'get flow', 'status']

describe('the nearest name', () => {
  it.each([
    ['lst flows', 'list flows'],
    ['get flwo', 'get flow'],
    ['statsu', 'status'],
    ['status', 'status'],
  ])('of "%s" is "%s"', (typed, meant) => {
    expect(findNearest(typed, NAMES)).toBe(meant)
  })

  it.each(['x', 'something else', ''])('of "%s" is none', typed => {
    expect(findNearest(typed, NAMES)).toBeUndefined()
  })

  it('is none without names', () => {
    expect(findNearest('status', [])).toBeUndefined()
  })
})
