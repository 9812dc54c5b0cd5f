// Writes audit packages: a gzipped tar stream of files whose last entry is `manifest.sha256`, so that the recipient can
// verify it with `sha256sum -c manifest.sha256`. Nothing is written to disk.
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'

const MANIFEST = 'manifest.sha256'
const MAX_SEGMENT_BYTES = 200
const MAX_SEGMENTS = 10

export type PackageEntry =
  | { path: string; content: string }
  /** `bytes` goes into the tar header: content of another length fails the package. */
  | { path: string; content: Readable; bytes: number }

/**
 * Entries are read one at a time, so a generator can open each content late. An error fails the stream before it
 * ends.
 */
export function writePackage(
  entries: Iterable<PackageEntry> | AsyncIterable<PackageEntry>,
  written_at: Date,
): Readable {
  const archive = pack()
  const gzip = createGzip()
  // The reader gets the error from the stream.
  pipeline(Readable.from(archive), gzip, () => undefined)
  fillArchive(archive, entries, written_at).catch(error => archive.destroy(error))
  return gzip
}

async function fillArchive(
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

/** Returns the SHA-256 of the content. */
async function addEntry(archive: Pack, name: string, entry: PackageEntry, mtime: Date): Promise<string> {
  const hash = createHash('sha256')
  const size = 'bytes' in entry ? entry.bytes : Buffer.byteLength(entry.content)
  const content = 'bytes' in entry ? entry.content : [Buffer.from(entry.content)]
  let settle: (error?: Error | null) => void = () => undefined
  const written = new Promise<void>((resolve, reject) => {
    settle = error => (error ? reject(error) : resolve())
  })
  // Awaited below; it fails earlier if the reader disconnects while the content is being read.
  written.catch(() => undefined)
  const waitForDrain = () => new Promise<void>(resume => sink.once('drain', () => resume()))
  const sink = archive.entry({ name, size, mtime, mode: 0o644 }, error => settle(error))
  // `written` reports the error; an error event without a listener would end the process.
  sink.on('error', () => undefined)
  for await (const chunk of content) {
    hash.update(chunk)
    if (!sink.write(chunk)) await Promise.race([waitForDrain(), written])
  }
  sink.end(undefined)
  await written
  return hash.digest('hex')
}

/** A relative path without `..`, control characters or backslashes, short enough for every file system. */
export function toSafePath(path: string): string {
  const segments = path
    .split(/[/\\]/)
    .map(segment => shortenSegment(segment.replaceAll(/[\p{C}\p{Zl}\p{Zp}:*?"<>|]/gu, '_').trim()))
    .filter(segment => !/^\.*$/.test(segment))
  return segments.slice(-MAX_SEGMENTS).join('/') || 'unnamed'
}

/** Cuts in the middle, so that the file extension stays. */
function shortenSegment(segment: string): string {
  const characters = [...segment]
  while (Buffer.byteLength(characters.join('')) > MAX_SEGMENT_BYTES) {
    characters.splice(Math.floor(characters.length * 0.7), 1)
  }
  return characters.join('')
}

/** Names that differ only in case are the same file on some systems. */
function reservePath(path: string, taken: Set<string>): string {
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]{1,10})$/s.exec(path) ?? []
  let candidate = path
  for (let n = 2; taken.has(candidate.toLowerCase()); n++) candidate = `${stem}-${n}${extension}`
  taken.add(candidate.toLowerCase())
  return candidate
}
