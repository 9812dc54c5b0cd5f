// The files sent with an attestation. Each file is sent separately, so that it keeps the hash that its owner
// knows; a folder becomes one archive. If the service accepts fewer files, one archive contains them all.
// Archives of the same content have the same bytes, and list the hash of each file.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Part } from '../http/multipart.ts'
import { failUsage } from '../program/problem.ts'

const ARCHIVE_NAME = 'attachments.tgz'
const LIST_NAME = 'SHA256SUMS'
const PART_NAME = 'attachment_file'

interface Found {
  /** The path in the archive. */
  name: string
  path: string
}

export interface AttachmentOptions {
  cwd: string
  /** How many files the service accepts; requested only if there are several. */
  countAccepted(): Promise<number>
  flag?: string
}

export async function collectAttachments(
  paths: readonly string[],
  { cwd, countAccepted, flag = 'attachments' }: AttachmentOptions,
): Promise<Part[]> {
  const found = paths.map(path => resolve(cwd, path))
  const folders = found.filter(path => !statFile(path, flag).isFile())
  for (const folder of folders)
    if (listFiles(folder, flag).length === 0) failUsage(`--${flag}: there is no file in ${folder}`)
  if (found.length > 1 && found.length > (await countAccepted())) {
    return [await packFiles(ARCHIVE_NAME, found, flag)]
  }
  const parts: Part[] = []
  for (const path of found) {
    const isFolder = folders.includes(path)
    const name = found.length === 1 ? ARCHIVE_NAME : `${basename(path)}.tgz`
    parts.push(isFolder ? await packFiles(name, [path], flag) : describeFile(path, flag))
  }
  return parts
}

function describeFile(path: string, flag: string): Part {
  const { size } = statFile(path, flag)
  return {
    name: PART_NAME,
    filename: basename(path),
    content_type: 'application/octet-stream',
    content: { path, size },
  }
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

async function packFiles(filename: string, paths: readonly string[], flag: string): Promise<Part> {
  const bytes = await archive(paths.flatMap(path => listFiles(path, flag)))
  return { name: PART_NAME, filename, content_type: 'application/gzip', content: { bytes } }
}

async function archive(files: readonly Found[]): Promise<Buffer> {
  const { pack } = await import('./tar.ts')
  const { gzipSync } = await import('node:zlib')
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
