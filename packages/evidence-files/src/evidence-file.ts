// A file as a tool wrote it: its uncompressed content, and the hashes of both forms.
import { createHash } from 'node:crypto'
import * as zlib from 'node:zlib'
import { EvidenceProblem } from './problem.ts'
import { expandZstd, findZstdDecompress } from './zstd.ts'

const MIB = 1024 * 1024
const MAX_STORED_BYTES = 512 * MIB
const MAX_CONTENT_BYTES = 512 * MIB

const GZIP_MAGIC = [0x1f, 0x8b]
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

export type Compression = 'none' | 'gzip' | 'zstd'

interface Digest {
  sha256: string
  bytes: number
}

export interface EvidenceFile {
  /** The caller's name for the file; error messages begin with it. */
  name: string
  /** Uncompressed. */
  content: Uint8Array
  compression: Compression
  /** The hash of the file as it is stored and uploaded. */
  stored_digest: Digest
  /** The hash of the uncompressed content. Equal to `stored_digest` if the file is not compressed. */
  content_digest: Digest
}

/** Recognizes gzip and zstd by their magic bytes. */
export function openEvidence(name: string, stored: Uint8Array): EvidenceFile {
  ensureSize(name, stored.length)
  const compression = recognizeCompression(stored)
  const content = compression === 'none' ? stored : expand(name, stored, compression)
  const stored_digest = computeDigest(stored)
  return {
    name,
    content,
    compression,
    stored_digest,
    content_digest: compression === 'none' ? stored_digest : computeDigest(content),
  }
}

/** The same for a stream, which is read until it ends or exceeds the limit. */
export async function collectEvidence(
  name: string,
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<EvidenceFile> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    ensureSize(name, bytes)
    chunks.push(chunk)
  }
  return openEvidence(name, Buffer.concat(chunks, bytes))
}

function ensureSize(name: string, bytes: number): void {
  if (bytes > MAX_STORED_BYTES) {
    throw new EvidenceProblem(name, undefined, `expected at most ${MAX_STORED_BYTES / MIB} MiB.`)
  }
}

function recognizeCompression(bytes: Uint8Array): Compression {
  if (GZIP_MAGIC.every((byte, i) => bytes[i] === byte)) return 'gzip'
  return ZSTD_MAGIC.every((byte, i) => bytes[i] === byte) ? 'zstd' : 'none'
}

function expand(name: string, stored: Uint8Array, compression: 'gzip' | 'zstd'): Uint8Array {
  try {
    return compression === 'gzip' ? gunzip(stored) : expandZstdFile(name, stored)
  } catch (error) {
    if (error instanceof EvidenceProblem) throw error
    if (isTooLarge(error)) {
      throw new EvidenceProblem(
        name,
        undefined,
        `expected at most ${MAX_CONTENT_BYTES / MIB} MiB of content; the ${compression} file expands to more.`,
      )
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new EvidenceProblem(
      name,
      undefined,
      `expected a complete ${compression} file: ${reason}. Write or download the file again.`,
    )
  }
}

/** Node ignores bytes after the compressed data, so their content would go unseen. */
function gunzip(stored: Uint8Array): Uint8Array {
  const { buffer, engine } = zlib.gunzipSync(stored, {
    maxOutputLength: MAX_CONTENT_BYTES,
    info: true,
  }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
  if (engine.bytesWritten !== stored.length) throw new Error('it is followed by other data')
  return buffer
}

function expandZstdFile(name: string, stored: Uint8Array): Uint8Array {
  const decompress = findZstdDecompress()
  if (decompress) return expandZstd(stored, decompress, MAX_CONTENT_BYTES)
  const sentence = `reading zstd needs Node 22.15 or newer, this is ${process.version}; run Node 22, or use gzip or no compression.`
  throw new EvidenceProblem(name, undefined, sentence)
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

function computeDigest(bytes: Uint8Array): Digest {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }
}
