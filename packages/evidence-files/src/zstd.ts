// Zstandard (RFC 8878). Node decompresses the first frame and neither reports a missing end nor reads what follows, so
// the frames are found here, by their headers, and decompressed one by one.
import * as zlib from 'node:zlib'

const FRAME_MAGIC = 0xfd2fb528
/** The last digit of a frame that decoders skip is free. */
const SKIPPABLE_MAGIC = 0x184d2a50
const DICTIONARY_BYTES = [0, 1, 2, 4] as const
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const
const CHECKSUM_BYTES = 4
const RUN_LENGTH_BLOCK = 1
const RESERVED_BLOCK = 3

type ZstdDecompress = (frame: Uint8Array, options: { maxOutputLength: number }) => Uint8Array

/** undefined if this version of Node has no Zstandard. */
export function findZstdDecompress(): ZstdDecompress | undefined {
  return (zlib as unknown as { zstdDecompressSync?: ZstdDecompress }).zstdDecompressSync
}

/** Throws a plain error with the reason, or that of Node if the content is too large. */
export function expandZstd(stored: Uint8Array, decompress: ZstdDecompress, max_bytes: number): Uint8Array {
  const contents: Uint8Array[] = []
  let left = max_bytes
  for (const frame of listZstdFrames(stored)) {
    // Node refuses a limit of 0; one byte more than is left is too large either way.
    const content = decompress(frame, { maxOutputLength: left + 1 })
    left -= content.length
    if (left < 0) throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' })
    contents.push(content)
  }
  return Buffer.concat(contents)
}

/** The frames with content, complete up to the end of the file. Throws a plain error with the reason. */
export function listZstdFrames(stored: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
  const frames: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const magic = readNumber(bytes, at, 4)
    const is_skippable = magic >>> 4 === SKIPPABLE_MAGIC >>> 4
    if (!is_skippable && magic !== FRAME_MAGIC) throw new Error('it is followed by other data')
    const end = is_skippable ? at + 8 + readNumber(bytes, at + 4, 4) : findFrameEnd(bytes, at + 4)
    if (end > bytes.length) throw new Error(ENDS_EARLY)
    if (!is_skippable) frames.push(bytes.subarray(at, end))
    at = end
  }
  return frames
}

const ENDS_EARLY = 'it ends too early'

function findFrameEnd(bytes: Buffer, start: number): number {
  const descriptor = readNumber(bytes, start, 1)
  const is_single_segment = (descriptor & 0x20) !== 0
  const size_bytes = CONTENT_SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || (is_single_segment ? 1 : 0)
  const dictionary_bytes = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3]
  let at = start + 1 + (is_single_segment ? 0 : 1) + dictionary_bytes + size_bytes
  for (let is_last = false; !is_last; ) {
    const header = readNumber(bytes, at, 3)
    const type = (header >> 1) & 3
    if (type === RESERVED_BLOCK) throw new Error('a block has an unknown type')
    is_last = (header & 1) === 1
    at += 3 + (type === RUN_LENGTH_BLOCK ? 1 : header >> 3)
  }
  return at + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES)
}

function readNumber(bytes: Buffer, at: number, length: 1 | 3 | 4): number {
  if (at + length > bytes.length) throw new Error(ENDS_EARLY)
  return bytes.readUIntLE(at, length)
}
