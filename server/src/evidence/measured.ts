// Passes the bytes of a file on while measuring its decompressed content, which is neither kept nor ever in memory as
// a whole.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Decoder } from './decoding.ts'

interface Measured {
  bytes: number
  sha256: string
}

export interface MeasuredContent {
  /** The bytes as they arrive. Fails if they are damaged, or if `check` throws. */
  passed: Readable
  /** Complete when `passed` has ended. Without a decoder there is no hash: the bytes passed on are the content. */
  measure(): Measured | undefined
}

export interface MeasureOptions {
  decoder: Decoder | undefined
  /** Called as the content grows; an error that it throws fails the stream. */
  check(sent: number, content: number): void
  /** The error for the sender if the bytes cannot be decompressed. */
  damaged(cause: unknown): Error
}

export function measureContent(source: Readable, options: MeasureOptions): MeasuredContent {
  const { decoder } = options
  const content = decoder ? decode(decoder, options) : undefined
  const passed = Readable.from(passOn(source, content, options), { objectMode: false })
  passed.once('close', () => {
    // This applies even if nobody began to read: the sender would wait forever.
    source.destroy()
    decoder?.stream.destroy()
  })
  return { passed, measure: () => content?.measure() }
}

async function* passOn(
  source: Readable,
  content: ReturnType<typeof decode> | undefined,
  { check }: MeasureOptions,
): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const chunk of source) {
    sent += chunk.length
    if (content) await content.add(chunk, sent)
    else check(sent, sent)
    yield chunk
  }
  await content?.finish(sent)
}

/** Reads the content of a compressed stream, a chunk at a time. */
function decode({ stream, follow, checkEnd }: Decoder, { check, damaged }: MeasureOptions) {
  const hash = createHash('sha256')
  let bytes = 0
  let sent = 0
  let refused: unknown
  stream.on('data', (part: Buffer) => {
    bytes += part.length
    hash.update(part)
    if (refused !== undefined) return
    try {
      check(sent, bytes)
    } catch (error) {
      refused = error
      stream.destroy()
    }
  })
  // If the decoder fails while decompressing a chunk, the chunk's callback is never called.
  const failed = new Promise<never>((_, reject) => {
    stream.once('error', reject)
    stream.once('close', () => reject(new Error('the decoder was closed')))
  })
  // It also rejects after the end, when nobody is waiting.
  failed.catch(() => undefined)
  const attempt = async (step: () => Promise<unknown>) => {
    try {
      await step()
    } catch (error) {
      throw refused ?? damaged(error)
    }
    if (refused !== undefined) throw refused
  }
  return {
    add: (chunk: Buffer, sent_so_far: number) => {
      sent = sent_so_far
      return attempt(() => {
        follow(chunk)
        const written = new Promise<void>((resolve, reject) => {
          stream.write(chunk, error => (error ? reject(error) : resolve()))
        })
        return Promise.race([written, failed])
      })
    },
    finish: (all: number) =>
      attempt(async () => {
        stream.end()
        await finished(stream)
        checkEnd(all)
      }),
    measure: (): Measured => ({ bytes, sha256: hash.copy().digest('hex') }),
  }
}
