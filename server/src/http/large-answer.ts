// Sends a long JSON response. It is rendered piece by piece into buffers, while other requests run; then its objects
// are dropped, and the buffers wait until the client reads them. Every byte counts as a part of the room.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { joinPieces, renderJson } from './render-json.ts'
import type { Place } from './room.ts'

/** About as much as a socket takes at once. */
const CHUNK_CHARACTERS = 64 * 1024

export interface LargeAnswer {
  bytes: number
  content: Readable
}

/** The whole text if it is short, and otherwise the chunks to come. Undefined for what JSON cannot express. */
export function renderAnswer(body: unknown): string | undefined | Iterable<string> {
  const texts = joinPieces(renderJson(body), CHUNK_CHARACTERS)
  const first = texts.next()
  if (first.done) return undefined
  const second = texts.next()
  if (second.done) return first.value
  return chain([first.value, second.value], texts)
}

function* chain(...lists: Iterable<string>[]): Generator<string> {
  for (const list of lists) yield* list
}

/** Throws if there is no room for the response. */
export async function packAnswer(
  texts: Iterable<string>,
  { place, is_compressed }: { place: Place; is_compressed: boolean },
): Promise<LargeAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      chunks.push(chunk)
      bytes += chunk.length
      place.grow(bytes)
    }
  }
  if (is_compressed) await pipeline(Readable.from(encode(texts)), createGzip(), keep)
  else await keep(encode(texts))
  place.learn(bytes)
  place.resize(bytes)
  return { bytes, content: Readable.from(send(chunks, bytes, place), { highWaterMark: 1 }) }
}

async function* encode(texts: Iterable<string>): AsyncGenerator<Buffer> {
  for (const text of texts) {
    yield Buffer.from(text)
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** A chunk is asked for when the one before it has left. */
async function* send(chunks: Buffer[], bytes: number, place: Place): AsyncGenerator<Buffer> {
  let left = bytes
  for (let next = chunks.shift(); next; next = chunks.shift()) {
    yield next
    left -= next.length
    place.resize(left)
  }
}
