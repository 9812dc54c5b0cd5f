// Whether compressed evidence is complete. Raw blocks need no decompression, so a pass-through stream replaces Node's
// decoder, which on some versions reports neither a missing end nor a second frame.
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { frameZstd } from '@waybill/evidence-files/testing'
import { describe, expect, it } from 'vitest'
import { makeZstdDecoder } from './decoding.ts'
import { measureContent } from './measured.ts'

const FRAME = frameZstd([Buffer.from('hello')])

function pass(chunks: readonly Buffer[]): Promise<Buffer> {
  const { passed } = measureContent(Readable.from(chunks), {
    decoder: makeZstdDecoder(new PassThrough()),
    check: () => undefined,
    damaged: cause => new Error(`damaged: ${cause instanceof Error ? cause.message : cause}`),
  })
  return buffer(passed)
}

describe('Zstandard', () => {
  it.each([
    ['in one chunk', [FRAME]],
    ['in two', [FRAME.subarray(0, 7), FRAME.subarray(7)]],
    ['byte by byte', [...FRAME].map(byte => Buffer.from([byte]))],
  ])('is accepted %s', async (_, chunks) => {
    expect(await pass(chunks)).toEqual(FRAME)
  })

  it.each([
    ['nothing', [], 'the end is missing'],
    ['a frame without its last byte', [FRAME.subarray(0, -1)], 'the end is missing'],
    ['a frame without its last block', [FRAME.subarray(0, 6)], 'the end is missing'],
    ['two frames in one chunk', [Buffer.concat([FRAME, FRAME])], 'there are bytes after the end'],
    ['two frames, each in its own chunk', [FRAME, FRAME], 'there are bytes after the end'],
    ['zeros after the end', [FRAME, Buffer.alloc(2)], 'there are bytes after the end'],
    ['something else', [Buffer.from('hello')], 'it contains data that is not Zstandard'],
  ])('is refused: %s', async (_, chunks, reason) => {
    await expect(pass(chunks)).rejects.toThrow(`damaged: ${reason}`)
  })
})
