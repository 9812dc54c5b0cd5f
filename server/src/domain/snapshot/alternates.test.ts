import { describe, expect, it } from 'vitest'
import { findKnownFingerprint } from './alternates.ts'

describe('the fingerprint whose provenance counts', () => {
  it.each([
    ['is the reported one if nothing else is known', 'f', ['a', 'b'], '', 'f'],
    ['is the reported one if it is known too', 'f', ['a', 'b'], 'b f a', 'f'],
    ['is the first known alternate', 'f', ['a', 'b'], 'b a', 'a'],
    ['is the only known alternate', 'f', ['a', 'b'], 'b', 'b'],
    ['is the reported one without alternates', 'f', [], 'a', 'f'],
    ['is an alternate of an artifact without a fingerprint', '', ['a'], 'a', 'a'],
  ])('%s', (_, fingerprint, alternates, known, expected) => {
    const isKnown = (each: string) => known.split(' ').includes(each) && each !== ''
    expect(findKnownFingerprint(fingerprint, alternates, isKnown)).toBe(expected)
  })
})
