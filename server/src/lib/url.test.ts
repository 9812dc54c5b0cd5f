// URLs with accented letters are always parsed correctly, however many were parsed before.
import { describe, expect, it } from 'vitest'
import { parseUrl } from './url.ts'

describe('an address', () => {
  it('is parsed correctly a hundred thousand times', () => {
    const read = () => parseUrl('https://bücher.example/é')?.hostname
    const results = new Set<string | undefined>()
    for (let i = 0; i < 100_000; i++) results.add(read())
    expect(results).toEqual(new Set(['xn--bcher-kva.example']))
  })

  it.each(['', 'x', 'https://', 'https://a b/'])('is not %j', text => {
    expect(parseUrl(text)).toBeUndefined()
  })

  it('may be relative to another', () => {
    expect(parseUrl('/x', 'https://a.example')?.href).toBe('https://a.example/x')
  })
})
