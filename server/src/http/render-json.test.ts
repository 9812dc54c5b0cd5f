// Pieces of JSON are what JSON.stringify returns, whatever the value.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseRepetitions } from '../../test/repetitions.ts'
import { joinPieces, renderJson } from './render-json.ts'

const join = (pieces: Iterable<string>) => [...pieces].join('')

describe('rendering JSON in pieces', () => {
  it('gives the text of JSON.stringify for any value', () => {
    const values = fc.anything({
      withDate: true,
      withObjectString: true,
      withNullPrototype: true,
      maxDepth: 6,
    })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), (value, characters) => {
        const text = JSON.stringify(value)
        expect(join(joinPieces(renderJson(value), characters))).toBe(text ?? '')
      }),
      { numRuns: chooseRepetitions(300, 20_000) },
    )
  })

  it('gives long lists item by item, also below objects', () => {
    const value = { status: { list: Array.from({ length: 1_000 }, (_, i) => ({ i })) } }
    const pieces = [...joinPieces(renderJson(value), 500)]
    expect(pieces.length).toBeGreaterThan(10)
    expect(pieces.join('')).toBe(JSON.stringify(value))
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(520)
  })
})
