// Compresses evidence if that pays. The spool keeps the original, with the hash that its owner knows.
import { createReadStream } from 'node:fs'
import { createGzip } from 'node:zlib'

/** Below this, the request costs more than the bytes. */
export const SMALLEST_BYTES = 1024 * 1024
/** The maximum ratio of compressed to original size. */
const MOST_SHARE = 0.75
/** The compressed content stays in memory until the service has it. */
const MOST_BYTES = 32 * 1024 * 1024
/** The service refuses content that expands 200 times at any place of the file, as a zip bomb would. */
const MOST_GROWTH = 100
/** Prefers speed: text shrinks to a fifth at any level. */
const LEVEL = 4

/** Returns undefined if compression does not pay. */
export async function compress(path: string, size: number): Promise<Buffer | undefined> {
  const most = Math.min(size * MOST_SHARE, MOST_BYTES)
  const chunks: Buffer[] = []
  let sent = 0
  const source = createReadStream(path, { end: size - 1 })
  const gzip = createGzip({ level: LEVEL })
  source.on('error', error => gzip.destroy(error)).pipe(gzip)
  try {
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      sent += chunk.length
      const growth = gzip.bytesWritten / sent
      if (sent > most || (gzip.bytesWritten > SMALLEST_BYTES && growth > MOST_GROWTH)) return undefined
    }
  } finally {
    source.destroy()
  }
  return Buffer.concat(chunks)
}
