// Writes audit packages: a gzipped tar stream of files, then `manifest.sha256`, so that the recipient can verify it with
// `sha256sum -c manifest.sha256`, then the seal of the manifest. Nothing is written to disk.
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { numberPath, toFileKey, toSafePath } from '../domain/audit-package/paths.ts'
import { MANIFEST } from '../domain/audit-package/seal.ts'

export type PackageEntry =
  | { path: string; content: string }
  /** `bytes` goes into the tar header: content of another length fails the package. */
  | { path: string; content: Readable; bytes: number }

type Entries = Iterable<PackageEntry> | AsyncIterable<PackageEntry>

/** The entries after the manifest, which cover it and are not in it. */
export type MakeSeal = (manifest_sha256: string) => Entries

/**
 * Entries are read one at a time, so a generator can open each content late. An error fails the stream before it
 * ends.
 */
export function writePackage(entries: Entries, written_at: Date, seal?: MakeSeal): Readable {
  const archive = pack()
  const gzip = createGzip()
  // The reader gets the error from the stream.
  pipeline(Readable.from(archive), gzip, () => undefined)
  fillArchive(archive, entries, { mtime: written_at, seal }).catch(error => archive.destroy(error))
  return gzip
}

async function fillArchive(
  archive: Pack,
  entries: Entries,
  { mtime, seal }: { mtime: Date; seal: MakeSeal | undefined },
): Promise<void> {
  const taken = new Set([MANIFEST])
  const lines: string[] = []
  for await (const entry of entries) {
    const name = reservePath(toSafePath(entry.path), taken)
    lines.push(`${await addEntry(archive, name, entry, mtime)}  ${name}\n`)
  }
  const sha256 = await addEntry(archive, MANIFEST, { path: MANIFEST, content: lines.join('') }, mtime)
  for await (const entry of seal?.(sha256) ?? []) await addEntry(archive, entry.path, entry, mtime)
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

/** Names that differ only in case are the same file on some systems. */
function reservePath(path: string, taken: Set<string>): string {
  let n = 1
  while (taken.has(toFileKey(numberPath(path, n)))) n += 1
  const candidate = numberPath(path, n)
  taken.add(toFileKey(candidate))
  return candidate
}
