// Frames that arrive in chunks. zstd.test.ts covers the kinds of frames.
import { describe, expect, it } from 'vitest'
import { frameZstd } from './zstd.testing.ts'
import { followZstdFrame } from './zstd-frame.ts'

const FRAME = frameZstd([Buffer.from('hello'), Buffer.from('again')])
const SKIPPABLE = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9])

describe('a frame', () => {
  it('is complete with its last byte, wherever its chunks begin', () => {
    for (let size = 1; size <= FRAME.length; size++) {
      const frame = followZstdFrame()
      for (let at = 0; at < FRAME.length; at += size) {
        expect(frame.isComplete()).toBe(false)
        const chunk = FRAME.subarray(at, at + size)
        expect(frame.add(chunk)).toBe(chunk.length)
      }
      expect(frame.isComplete()).toBe(true)
    }
  })

  it('consumes nothing after its end, in the same chunk or the next', () => {
    const frame = followZstdFrame()
    expect(frame.add(Buffer.concat([FRAME, FRAME]))).toBe(FRAME.length)
    expect(frame.add(FRAME)).toBe(0)
    expect(frame.isComplete()).toBe(true)
  })

  it.each([
    [FRAME, false],
    [SKIPPABLE, true],
  ])('says whether decoders skip it: %#', (bytes, expected) => {
    const frame = followZstdFrame()
    expect(frame.isSkippable()).toBe(false)
    frame.add(bytes)
    expect([frame.isComplete(), frame.isSkippable()]).toEqual([true, expected])
  })

  it('is refused as soon as its first four bytes are wrong', () => {
    const frame = followZstdFrame()
    expect(frame.add(Buffer.from('hel'))).toBe(3)
    expect(() => frame.add(Buffer.from('lo'))).toThrow('it contains data that is not Zstandard')
  })
})
