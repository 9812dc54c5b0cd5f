// Expands Zstandard files frame by frame, because Node reads only the first one.
import * as zlib from 'node:zlib'
import { followZstdFrame } from './zstd-frame.ts'

type ZstdDecompress = (frame: Uint8Array, options: { maxOutputLength: number }) => Uint8Array

/** undefined if this Node version has no Zstandard. */
export function findZstdDecompress(): ZstdDecompress | undefined {
  return (zlib as unknown as { zstdDecompressSync?: ZstdDecompress }).zstdDecompressSync
}

/** Throws a plain error with the reason, or Node's own error if the content is too large. */
export function expandZstd(stored: Uint8Array, decompress: ZstdDecompress, max_bytes: number): Uint8Array {
  const contents: Uint8Array[] = []
  let left = max_bytes
  for (const frame of listZstdFrames(stored)) {
    // Node refuses a limit of 0. One byte more is too large anyway.
    const content = decompress(frame, { maxOutputLength: left + 1 })
    left -= content.length
    if (left < 0) throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' })
    contents.push(content)
  }
  return Buffer.concat(contents)
}

/** The frames with content, each complete. Throws a plain error with the reason. */
export function listZstdFrames(stored: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at < stored.length; ) {
    const frame = followZstdFrame()
    const end = at + frame.add(stored.subarray(at))
    if (!frame.isComplete()) throw new Error('it ends too early')
    if (!frame.isSkippable()) frames.push(stored.subarray(at, end))
    at = end
  }
  return frames
}
