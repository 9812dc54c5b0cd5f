// Locates the files of a tar archive without reading their content: ustar, GNU and pax headers. Refuses an
// archive that programs could interpret differently, such as one with two files of the same name.
import type { FileHandle } from 'node:fs/promises'
import { FingerprintProblem } from './problem.ts'

const BLOCK_BYTES = 512
/** Keeps a hostile archive from filling the memory. */
const MAX_ENTRIES = 100_000
const MAX_HEADER_BYTES = 1024 * 1024

export interface TarEntry {
  offset: number
  size: number
  /** The target if the entry is a link to another file of the archive. */
  link: string | undefined
}

/** Values from extended headers for the next entry. */
interface Extended {
  path?: string
  linkpath?: string
  size?: string
}

/** Files and links by name. `shown` begins the sentence of a problem. */
export async function indexTar(file: FileHandle, shown: string): Promise<Map<string, TarEntry>> {
  const refuse = (why: string) => new FingerprintProblem('invalid', `${shown} ${why}`)
  const entries = new Map<string, TarEntry>()
  let extended: Extended = {}
  let offset = 0
  for (;;) {
    const header = await readBytes(file, offset, BLOCK_BYTES)
    if (header.length === 0 || header.every(byte => byte === 0)) return entries
    if (header.length < BLOCK_BYTES || !hasValidChecksum(header)) {
      throw refuse(offset === 0 ? explainNoTar(header) : 'is a damaged tar archive. Save it again.')
    }
    const type = String.fromCharCode(header[156] ?? 0)
    const isExtension = 'xLKg'.includes(type)
    const hasOwnSize = isExtension || extended.size === undefined
    const size = hasOwnSize ? readNumber(header.subarray(124, 136)) : Number(extended.size)
    if (!Number.isSafeInteger(size) || size < 0) throw refuse('has an entry with an invalid size.')
    const content = offset + BLOCK_BYTES
    offset = content + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
    if (isExtension) {
      if (size > MAX_HEADER_BYTES) throw refuse('has an extended header of more than 1 MiB.')
      const text = await readBytes(file, content, size)
      if (type !== 'g') extended = { ...extended, ...readExtended(type, text) }
      continue
    }
    const name = cleanName(extended.path ?? readName(header))
    const target = extended.linkpath ?? readText(header.subarray(157, 257))
    extended = {}
    if (!'\x000127'.includes(type)) continue
    if (entries.has(name)) throw refuse(`has two entries with the name "${name}". Save it again.`)
    if (entries.size >= MAX_ENTRIES) throw refuse(`has more than ${MAX_ENTRIES} entries.`)
    entries.set(name, {
      offset: content,
      size,
      link: type === '1' || type === '2' ? resolve(name, target, type) : undefined,
    })
  }
}

export async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function explainNoTar(start: Buffer): string {
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  const isZstd = start.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))
  if (isGzip) return 'is compressed with gzip. Unpack it with gunzip first.'
  return isZstd ? 'is compressed with zstd. Unpack it with unzstd first.' : 'is no tar archive.'
}

/** The sum of all bytes, with spaces instead of the checksum itself. */
function hasValidChecksum(header: Buffer): boolean {
  const stated = readNumber(header.subarray(148, 156))
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0)
  return stated === sum
}

/** Octal digits, or, for large numbers, a binary number after a set high bit. */
function readNumber(field: Buffer): number {
  if ((field[0] ?? 0) & 0x80) {
    return field.reduce((total, byte, index) => total * 256 + (index === 0 ? byte & 0x7f : byte), 0)
  }
  const digits = readText(field).trim()
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN
}

function readText(field: Buffer): string {
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? field.length : end).toString('utf8')
}

function readName(header: Buffer): string {
  const isUstar = header.subarray(257, 263).toString('latin1') === 'ustar\0'
  const prefix = isUstar ? readText(header.subarray(345, 500)) : ''
  const name = readText(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

function readExtended(type: string, content: Buffer): Extended {
  if (type === 'L') return { path: readText(content) }
  if (type === 'K') return { linkpath: readText(content) }
  const found: Record<string, string> = {}
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const length = Number(content.subarray(at, space).toString('latin1'))
    if (space < 0 || !Number.isSafeInteger(length) || length <= 0) break
    const [key = '', ...value] = content
      .subarray(space + 1, at + length - 1)
      .toString('utf8')
      .split('=')
    found[key] = value.join('=')
    at += length
  }
  const { path, linkpath, size } = found
  return {
    ...(path === undefined ? {} : { path }),
    ...(linkpath === undefined ? {} : { linkpath }),
    ...(size === undefined ? {} : { size }),
  }
}

function cleanName(name: string): string {
  return name
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')
}

/** A hard link names a path in the archive; a symbolic link a path relative to its folder. */
function resolve(name: string, target: string, type: string): string {
  if (type === '1') return cleanName(target)
  const parts = name.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
