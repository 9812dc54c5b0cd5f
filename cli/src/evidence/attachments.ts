// The files that go with an attestation. One file is sent as it is. Several files, or folders, go as one archive, whose
// content always gives the same bytes; each file's own hash is listed in it.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Part } from '../http/multipart.ts'
import { failUsage } from '../program/problem.ts'

const ARCHIVE_NAME = 'attachments.tgz'
const LIST_NAME = 'SHA256SUMS'

interface Found {
  /** In the archive. */
  name: string
  path: string
}

export async function packAttachments(
  paths: readonly string[],
  cwd: string,
  flag = 'attachments',
): Promise<Part[]> {
  if (paths.length === 0) return []
  const [only] = paths
  const single = resolve(cwd, only ?? '')
  if (paths.length === 1 && statFile(single, flag).isFile()) {
    const content = { path: single, size: statFile(single, flag).size }
    return [
      {
        name: 'attachment_file',
        filename: basename(single),
        content_type: 'application/octet-stream',
        content,
      },
    ]
  }
  const files = paths.flatMap(path => listFiles(resolve(cwd, path), flag))
  if (files.length === 0) failUsage(`--${flag}: there is no file in ${paths.join(', ')}`)
  const bytes = await archive(files)
  return [
    { name: 'attachment_file', filename: ARCHIVE_NAME, content_type: 'application/gzip', content: { bytes } },
  ]
}

function statFile(path: string, flag: string) {
  return statSync(path, { throwIfNoEntry: false }) ?? failUsage(`--${flag}: ${path} does not exist`)
}

function listFiles(path: string, flag: string): Found[] {
  if (statFile(path, flag).isFile()) return [{ name: basename(path), path }]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => ({ name: join(basename(path), relative(path, file)), path: file }))
}

async function archive(files: readonly Found[]): Promise<Buffer> {
  const { pack } = await import('./tar.ts')
  const tar = pack()
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const sums: string[] = []
  const mtime = new Date(0)
  for (const [index, { name, path }] of sorted.entries()) {
    if (sorted[index - 1]?.name === name) failUsage(`Two attachments are called ${name}`)
    const bytes = readFileSync(path)
    sums.push(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    tar.entry({ name, mtime, mode: 0o644 }, bytes)
  }
  tar.entry({ name: LIST_NAME, mtime, mode: 0o644 }, sums.join(''))
  tar.finalize()
  return gzipSync(await buffer(tar))
}
