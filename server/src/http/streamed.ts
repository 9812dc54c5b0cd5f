// Streams an object with one long list, batch by batch.
import { Readable } from 'node:stream'
import type { Streamed } from '../api/operation.ts'

const CHUNK_ITEMS = 100

export function toStream(
  { head, list, items }: Streamed<unknown, unknown>,
  spell: (item: unknown) => unknown,
  onEnd: (bytes: number) => void,
): Readable {
  return Readable.from(countBytes(renderChunks(head as object, list, items, spell), onEnd))
}

async function* countBytes(
  chunks: AsyncIterable<string>,
  onEnd: (bytes: number) => void,
): AsyncIterable<string> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += Buffer.byteLength(chunk)
    yield chunk
  }
  onEnd(bytes)
}

async function* renderChunks(
  head: object,
  list: string,
  items: Iterable<unknown>,
  spell: (item: unknown) => unknown,
): AsyncIterable<string> {
  const opening = JSON.stringify({ ...head, [list]: [] })
  // The opening without its final bracket and brace.
  let chunk = opening.slice(0, -2)
  let count = 0
  for (const item of items) {
    chunk += (count === 0 ? '' : ',') + JSON.stringify(spell(item))
    count += 1
    if (count % CHUNK_ITEMS !== 0) continue
    yield chunk
    chunk = ''
    await new Promise(resolve => setImmediate(resolve))
  }
  yield `${chunk}]}`
}
