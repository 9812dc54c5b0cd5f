import { describe, expect, it } from 'vitest'
import { findResumption, formatPosition, parsePosition } from './position.ts'

describe('a position', () => {
  it.each([
    { epoch: 1, next: 0 },
    { epoch: 1, next: 1 },
    { epoch: 12, next: 4_711 },
  ])('is read as it was written: %o', position => {
    expect(parsePosition(formatPosition(position))).toEqual(position)
  })

  it.each(['', '1', '1.', '.1', '1.-2', '1.1.1', '-1.1', '1.x', ' 1.1', '1.1 ', '1.99999999999999999'])(
    'is not %o',
    text => {
      expect(parsePosition(text)).toBeUndefined()
    },
  )
})

describe('a reader', () => {
  const head = { epoch: 2, size: 100 }
  it.each([
    ['2.99', { epoch: 2, next: 100 }],
    ['2.89', { epoch: 2, next: 90 }],
  ])('that knows %s continues there', (text, position) => {
    expect(findResumption(text, head, 10)).toEqual(position)
  })

  it.each([
    ['without a position', undefined],
    ['with a position that is none', 'x'],
    ['of an older log', '1.99'],
    ['of a newer log', '3.99'],
    ['that is ahead of the log', '2.100'],
    ['that is too far behind', '2.88'],
  ])('%s begins anew', (_, text) => {
    expect(findResumption(text, head, 10)).toBeUndefined()
  })

  it('of an empty log continues with its first leaf', () => {
    expect(findResumption('2.-1', { epoch: 2, size: 1 }, 10)).toEqual({ epoch: 2, next: 0 })
  })
})
