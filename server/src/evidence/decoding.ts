// Decompresses evidence that was sent compressed: on arrival, to compute the hash of its content, and when it is
// downloaded. Zstandard support depends on the version of Node.

import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { followZstdFrame } from '@waybill/evidence-files/zstd-frame'

export interface Decoder {
  stream: Transform
  /** Called with each chunk before it is written to the stream. Throws if it does not belong to the content. */
  follow(chunk: Buffer): void
  /** Throws unless the input was complete and had nothing after it. The stream itself may not report that. */
  checkEnd(sent: number): void
}

type ZstdOptions = { params: Record<number, number> }

/** Missing in some versions of Node, and in their types. */
const { createZstdDecompress }: { createZstdDecompress?: (options: ZstdOptions) => Transform } =
  zlib as object

const ZSTD_WINDOW_LOG_MAX = 100
/**
 * 8 MiB, which every decoder should accept (RFC 8878, 3.1.1.1.2): a larger window would let the sender decide how
 * much memory is used.
 */
const MAX_WINDOW_LOG = 23

type Encoding = 'gzip' | 'zstd'

const DECODERS: Readonly<Record<Encoding, (() => Decoder) | undefined>> = {
  gzip: makeGzipDecoder,
  zstd:
    createZstdDecompress &&
    (() => makeZstdDecoder(createZstdDecompress({ params: { [ZSTD_WINDOW_LOG_MAX]: MAX_WINDOW_LOG } }))),
}

const ENCODINGS: readonly Encoding[] = ['gzip', 'zstd']

/** The encodings that this process can decompress. */
export const ACCEPTED_ENCODINGS: readonly Encoding[] = ENCODINGS.filter(
  encoding => DECODERS[encoding] !== undefined,
)

/** Undefined if this version of Node lacks the encoding. */
export function makeDecoder(encoding: Encoding): Decoder | undefined {
  return DECODERS[encoding]?.()
}

function makeGzipDecoder(): Decoder {
  const stream = zlib.createGunzip()
  return {
    stream,
    follow: () => undefined,
    // Node ignores zeros after the end.
    checkEnd: sent => {
      if (stream.bytesWritten !== sent) throw new Error(BYTES_AFTER_END)
    },
  }
}

/** Accepts one frame: whether Node reads a second one depends on how the bytes are divided into chunks. */
export function makeZstdDecoder(stream: Transform): Decoder {
  const frame = followZstdFrame()
  return {
    stream,
    follow: chunk => {
      if (frame.add(chunk) < chunk.length) throw new Error(BYTES_AFTER_END)
    },
    checkEnd: () => {
      if (!frame.isComplete()) throw new Error('the end is missing')
    },
  }
}

const BYTES_AFTER_END = 'there are bytes after the end'
