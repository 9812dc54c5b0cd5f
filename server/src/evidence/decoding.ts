// Decompresses evidence that was sent compressed: while it arrives, to learn the hash of its content, and when it is
// downloaded. Zstandard depends on the version of Node.

import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

export interface Decoder extends Transform {
  /** How much of the input belonged to the compressed content. */
  readonly bytesWritten: number
}

type ZstdOptions = { params: Record<number, number> }

/** What some versions of Node lack, and their types too. */
const {
  createGunzip,
  createZstdDecompress,
}: {
  createGunzip: typeof zlib.createGunzip
  createZstdDecompress?: (options: ZstdOptions) => Decoder
} = zlib

const ZSTD_WINDOW_LOG_MAX = 100
/** 8 MiB, which every decoder should accept (RFC 8878, 3.1.1.1.2): more would be memory that the sender decides about. */
const MAX_WINDOW_LOG = 23

type Encoding = 'gzip' | 'zstd'

const DECODERS: Readonly<Record<Encoding, (() => Decoder) | undefined>> = {
  gzip: () => createGunzip(),
  zstd:
    createZstdDecompress &&
    (() => createZstdDecompress({ params: { [ZSTD_WINDOW_LOG_MAX]: MAX_WINDOW_LOG } })),
}

const ENCODINGS: readonly Encoding[] = ['gzip', 'zstd']

/** The encodings that this process can decompress. */
export const ACCEPTED_ENCODINGS: readonly Encoding[] = ENCODINGS.filter(
  encoding => DECODERS[encoding] !== undefined,
)

/** Undefined if this version of Node cannot. */
export function makeDecoder(encoding: Encoding): Decoder | undefined {
  return DECODERS[encoding]?.()
}
