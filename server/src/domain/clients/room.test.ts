import { describe, expect, it } from 'vitest'
import { expectBytes, findLack, type Lack, learnBytes, sortWaiting } from './room.ts'

const MIB = 1024 * 1024
const LIMITS = { per_client_bytes: 64 * MIB, in_all_bytes: 256 * MIB }
const UNKNOWN = { to_client: undefined, to_anybody: undefined }

describe('room for a response', () => {
  it.each<[string, number, number, number, Lack | undefined]>([
    // What, its MiB, what its client holds, what all hold.
    ['is there while nobody holds anything', 17, 0, 0, undefined],
    ['is there up to the bound of the client', 17, 47, 47, undefined],
    ['is missing beyond the bound of the client', 17, 48, 48, 'client'],
    ['is there for a small response, whatever is held', 1 / 16, 64, 256, undefined],
    ['is there for the first response of a client, however large', 100, 0, 192, undefined],
    ['is missing for the first response when all hold too much', 17, 0, 240, 'process'],
    ['is missing for the second when all hold half of what they may', 17, 17, 112, 'process'],
    ['is there for the second of the only client', 17, 17, 17, undefined],
  ])('%s', (_what, bytes, of_client, in_all, lack) => {
    const held = { of_client: of_client * MIB, in_all: in_all * MIB }
    expect(findLack(bytes * MIB, held, LIMITS)).toBe(lack)
  })

  it.each([
    ['as much as the client got before', { to_client: 5, to_anybody: 9 }, true, 5],
    ['the same for its other requests', { to_client: 5, to_anybody: 9 }, false, 5],
    ['as much as others got', { to_client: undefined, to_anybody: 9 * MIB }, true, 9 * MIB],
    ['little, if nobody knows', UNKNOWN, true, 64 * 1024],
    [
      'everything, while its first request of the kind is under way',
      UNKNOWN,
      false,
      Number.POSITIVE_INFINITY,
    ],
  ])('is asked for %s', (_what, known, is_first, bytes) => {
    expect(expectBytes(known, is_first)).toBe(bytes)
  })

  it('follows larger responses at once, and smaller ones slowly', () => {
    expect([learnBytes(undefined, 7), learnBytes(100, 300), learnBytes(300, 10)]).toEqual([7, 300, 150])
  })

  it('goes first to those who hold least, then to those who waited longest', () => {
    const waiting = [
      { name: 'greedy', of_client: 9 },
      { name: 'first', of_client: 0 },
      { name: 'second', of_client: 0 },
    ]
    expect(sortWaiting(waiting).map(({ name }) => name)).toEqual(['first', 'second', 'greedy'])
  })
})
