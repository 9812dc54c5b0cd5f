// The body of a form with files: streamed, with a length known in advance.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

export interface Part {
  name: string
  content_type: string
  filename?: string
  /** Of the content before it was compressed, if it is known. */
  sha256?: string
  /** How `content` is compressed; undefined if it is not. */
  content_encoding?: 'gzip'
  content: { bytes: Buffer } | { path: string; size: number }
}

export function buildMultipart(parts: readonly Part[]) {
  const boundary = chooseBoundary(parts)
  const heads = parts.map(part => Buffer.from(`--${boundary}\r\n${formatHead(part)}\r\n\r\n`))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const length = parts.reduce(
    (sum, part, index) => sum + (heads[index]?.length ?? 0) + getSize(part) + 2,
    end.length,
  )
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    length,
    open: () => Readable.from(streamParts(parts, heads, end)),
  }
}

async function* streamParts(parts: readonly Part[], heads: readonly Buffer[], end: Buffer) {
  for (const [index, { content }] of parts.entries()) {
    yield heads[index]
    if ('bytes' in content) yield content.bytes
    // Never sends more than announced: a file can grow while it is read.
    else if (content.size > 0) yield* createReadStream(content.path, { end: content.size - 1 })
    yield Buffer.from('\r\n')
  }
  yield end
}

const getSize = ({ content }: Part): number => ('bytes' in content ? content.bytes.length : content.size)

/** The same for the same parts, and part of none of their names. */
function chooseBoundary(parts: readonly Part[]): string {
  const hash = createHash('sha256')
  for (const { name, filename = '', content } of parts)
    hash.update(
      `${name}\0${filename}\0${'bytes' in content ? content.bytes.toString('base64') : content.size}\0`,
    )
  return `waybill-${hash.digest('hex').slice(0, 40)}`
}

function formatHead({ name, filename, content_type, content_encoding }: Part): string {
  const file = filename === undefined ? '' : `; filename="${escapeName(filename)}"`
  const encoding = content_encoding === undefined ? '' : `\r\nContent-Encoding: ${content_encoding}`
  return `Content-Disposition: form-data; name="${escapeName(name)}"${file}\r\nContent-Type: ${content_type}${encoding}`
}

/** The way browsers do it. */
const escapeName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
