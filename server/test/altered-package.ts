// Audit packages taken apart and put together again, as somebody would who forges one.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, type Header, pack } from 'tar-stream'

export interface PackedFile {
  name: string
  content: Buffer
  /** Headers that packages do not have, such as those of a link. */
  header?: Partial<Header>
}

const MANIFEST = 'manifest.sha256'
const WRITTEN_AT = new Date('2026-03-03T12:00:00Z')

export async function unpackFiles(tgz: Buffer): Promise<PackedFile[]> {
  const files: PackedFile[] = []
  const archive = extract()
  Readable.from([gunzipSync(tgz)]).pipe(archive)
  for await (const entry of archive) files.push({ name: entry.header.name, content: await buffer(entry) })
  return files
}

export async function packFiles(files: readonly PackedFile[], mtime = WRITTEN_AT): Promise<Buffer> {
  const archive = pack()
  for (const { name, content, header } of files)
    archive.entry({ name, mtime, ...header }, header ? Buffer.alloc(0) : content)
  archive.finalize()
  return gzipSync(await buffer(archive), { level: 1 })
}

export const isOfSeal = ({ name }: PackedFile): boolean => name.startsWith('seal/')

/** With the manifest that fits the other files. */
export function recompute(files: readonly PackedFile[]): PackedFile[] {
  const lines = files
    .filter(file => file.name !== MANIFEST && !isOfSeal(file))
    .map(({ name, content }) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`)
  return replaceFile(files, MANIFEST, () => lines.join(''))
}

export function replaceFile(
  files: readonly PackedFile[],
  name: string | RegExp,
  change: (text: string) => string,
): PackedFile[] {
  return files.map(file => {
    const isMeant = typeof name === 'string' ? file.name === name : name.test(file.name)
    return isMeant ? { ...file, content: Buffer.from(change(file.content.toString('utf8'))) } : file
  })
}
