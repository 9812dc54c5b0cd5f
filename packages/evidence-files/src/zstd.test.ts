// A frame with raw blocks needs no encoder, so the tests run on every version of Node.
import { describe, expect, it } from 'vitest'
import { frameZstd } from './zstd.testing.ts'
import { expandZstd, findZstdDecompress, listZstdFrames } from './zstd.ts'

const HELLO = Buffer.from('hello')
const one = frameZstd([HELLO])
const two = frameZstd([HELLO, HELLO])
const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9])

describe('a file in zstd', () => {
  it.each([
    ['one frame', one, [one]],
    ['a frame with two blocks', two, [two]],
    ['two frames', Buffer.concat([one, two]), [one, two]],
    ['frames to skip', Buffer.concat([skippable, one, skippable]), [one]],
    [
      'a block of one repeated byte',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, (5 << 3) | 3, 0, 0, 65]),
      undefined,
    ],
    [
      'a window and a checksum',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0, 1, 0, 0, 1, 2, 3, 4]),
      undefined,
    ],
    [
      'a dictionary and a size of two bytes',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x61, 7, 0, 1, 1, 0, 0]),
      undefined,
    ],
  ])('has its frames: %s', (_, bytes, frames = [bytes]) => expect(listZstdFrames(bytes)).toEqual(frames))

  it('is refused wherever it is truncated', () => {
    for (let length = 1; length < two.length; length++) {
      expect(() => listZstdFrames(two.subarray(0, length))).toThrow('it ends too early')
    }
  })

  it.each([
    [Buffer.concat([one, HELLO]), 'it contains data that is not Zstandard'],
    [Buffer.concat([one, Buffer.alloc(9)]), 'it contains data that is not Zstandard'],
    [Buffer.concat([one, skippable.subarray(0, 9)]), 'it ends too early'],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 7, 0, 0]), 'a block has an unknown type'],
  ])('is refused: %j', (bytes, reason) => expect(() => listZstdFrames(bytes)).toThrow(reason))

  it('is expanded frame by frame, up to a common limit', () => {
    // Replaces the decoder of newer Node versions: skips the headers of `one`.
    const decompress = findZstdDecompress() ?? ((frame: Uint8Array) => frame.subarray(9))
    const bytes = Buffer.concat([one, one])
    expect(Buffer.from(expandZstd(bytes, decompress, 10)).toString()).toBe('hellohello')
    expect(() => expandZstd(bytes, decompress, 9)).toThrow(
      expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }),
    )
  })
})
