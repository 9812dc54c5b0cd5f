// Audit packages: a gzipped tar stream of files that belong together, closed by `manifest.sha256`, so that whoever
// receives it can check it with `sha256sum -c manifest.sha256`. Nothing is written to disk on the way.
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'

const MANIFEST = 'manifest.sha256'
const MAX_SEGMENT_BYTES = 200
const MAX_SEGMENTS = 10

export type PackageEntry =
  | { path: string; content: string }
  /** `bytes` is what the tar header announces: a content of another length fails the package. */
  | { path: string; content: Readable; bytes: number }

/** A generator may open each content only when its turn comes. A failure fails the stream before it ends. */
export function writePackage(
  entries: Iterable<PackageEntry> | AsyncIterable<PackageEntry>,
  written_at: Date,
): Readable {
  const archive = pack()
  const gzip = createGzip()
  // The reader learns of a failure from the stream it reads.
  pipeline(Readable.from(archive), gzip, () => undefined)
  fill(archive, entries, written_at).catch(error => archive.destroy(error))
  return gzip
}

async function fill(
  archive: Pack,
  entries: Iterable<PackageEntry> | AsyncIterable<PackageEntry>,
  mtime: Date,
): Promise<void> {
  const taken = new Set([MANIFEST])
  const lines: string[] = []
  for await (const entry of entries) {
    const name = reservePath(toSafePath(entry.path), taken)
    lines.push(`${await addEntry(archive, name, entry, mtime)}  ${name}\n`)
  }
  await addEntry(archive, MANIFEST, { path: MANIFEST, content: lines.join('') }, mtime)
  archive.finalize()
}

/** Returns the SHA-256 of what was written. */
async function addEntry(archive: Pack, name: string, entry: PackageEntry, mtime: Date): Promise<string> {
  const hash = createHash('sha256')
  const size = 'bytes' in entry ? entry.bytes : Buffer.byteLength(entry.content)
  const content = 'bytes' in entry ? entry.content : [Buffer.from(entry.content)]
  let settle: (error?: Error | null) => void = () => undefined
  const written = new Promise<void>((resolve, reject) => {
    settle = error => (error ? reject(error) : resolve())
  })
  // Awaited below; a reader that goes away fails it while the content is still being read.
  written.catch(() => undefined)
  const waitForDrain = () => new Promise<void>(resume => sink.once('drain', () => resume()))
  const sink = archive.entry({ name, size, mtime, mode: 0o644 }, error => settle(error))
  // Told through `written`; an error event that nobody listens to would end the process.
  sink.on('error', () => undefined)
  for await (const chunk of content) {
    hash.update(chunk)
    if (!sink.write(chunk)) await Promise.race([waitForDrain(), written])
  }
  sink.end(undefined)
  await written
  return hash.digest('hex')
}

/** Relative, without `..`, control characters or backslashes, short enough for every file system. */
export function toSafePath(path: string): string {
  const segments = path
    .split(/[/\\]/)
    .map(segment => shortenSegment(segment.replaceAll(/[\p{C}\p{Zl}\p{Zp}:*?"<>|]/gu, '_').trim()))
    .filter(segment => !/^\.*$/.test(segment))
  return segments.slice(-MAX_SEGMENTS).join('/') || 'unnamed'
}

/** Cut in the middle, so that the end, which says what kind of file it is, stays. */
function shortenSegment(segment: string): string {
  const characters = [...segment]
  while (Buffer.byteLength(characters.join('')) > MAX_SEGMENT_BYTES) {
    characters.splice(Math.floor(characters.length * 0.7), 1)
  }
  return characters.join('')
}

/** Names that differ in case only are the same file on some systems. */
function reservePath(path: string, taken: Set<string>): string {
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]{1,10})$/s.exec(path) ?? []
  let candidate = path
  for (let n = 2; taken.has(candidate.toLowerCase()); n++) candidate = `${stem}-${n}${extension}`
  taken.add(candidate.toLowerCase())
  return candidate
}
